use crate::node::bridge::{Message, RESOLVE, push_submitted};

#[test]
fn submits_answered_one_after_the_other_are_one_message() {
    let mut waiting: Vec<Message> = Vec::new();
    push_submitted(&mut waiting, "1,10,10".to_owned());
    push_submitted(&mut waiting, "2,10,30".to_owned());
    waiting.push(Message {
        id: 3,
        kind: RESOLVE,
        text: "null".to_owned(),
    });
    push_submitted(&mut waiting, "4,11,11".to_owned());
    let texts: Vec<&str> = waiting.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["1,10,10,2,10,30", "null", "4,11,11"]);
}
