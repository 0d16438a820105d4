use crate::node::messages::{Message, Messages, RESOLVE};

fn texts(messages: &mut Messages) -> Vec<String> {
    messages.take().into_iter().map(|one| one.text).collect()
}

#[test]
fn submits_answered_one_after_the_other_with_the_same_times_are_one_message() {
    let mut messages = Messages::default();
    messages.push_submitted(1, (10, 10));
    messages.push_submitted(2, (10, 10));
    messages.push_submitted(3, (10, 30));
    messages.push(Message {
        id: 4,
        kind: RESOLVE,
        text: "null".to_owned(),
    });
    messages.push_submitted(5, (10, 30));
    assert_eq!(
        texts(&mut messages),
        ["10,10,1,2", "10,30,3", "null", "10,30,5"]
    );
    messages.push_submitted(6, (10, 30));
    assert_eq!(texts(&mut messages), ["10,30,6"], "what was taken is over");
}
