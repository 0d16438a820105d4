//! What waits for JavaScript to take it.

use crate::model::push_display;

pub(super) const RESOLVE: u8 = 0;
pub(super) const REJECT: u8 = 1;
pub(super) const EVENT: u8 = 2;
pub(super) const WARNING: u8 = 3;
const SUBMITTED: u8 = 4;
pub(super) const KINDS: u8 = 5;

/// One message.
pub(super) struct Message {
    /// The request, or the channel of an event.
    pub(super) id: u32,
    pub(super) kind: u8,
    pub(super) text: String,
}

/// Messages in the order in which they came.
#[derive(Default)]
pub(super) struct Messages {
    waiting: Vec<Message>,
    /// The times of the tasks that the last message tells of, when it is one of submits.
    times: Option<(i64, i64)>,
}

impl Messages {
    pub(super) fn push(&mut self, message: Message) {
        self.times = None;
        self.waiting.push(message);
    }

    /// Answers a submit whose task is new: when it was created, and when it is due. Those of one transaction mostly share
    /// both, and are one message.
    pub(super) fn push_submitted(&mut self, id: u32, times: (i64, i64)) {
        if self.times != Some(times) {
            self.push(Message {
                id: 0,
                kind: SUBMITTED,
                text: format!("{},{}", times.0, times.1),
            });
            self.times = Some(times);
        }
        if let Some(last) = self.waiting.last_mut() {
            last.text.push(',');
            push_display(&mut last.text, id);
        }
    }

    /// All of them.
    pub(super) fn take(&mut self) -> Vec<Message> {
        std::mem::take(self).waiting
    }
}
