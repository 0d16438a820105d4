//! A claimed task on its way to the worker. What is the same for many tasks is shared between them: a text of its own is
//! allocated by one thread and freed by another, for each task.

use std::sync::Arc;

use crate::model::Task;

/// A task just claimed, as far as whoever runs it needs to know it: a row has more than twice the columns.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the fields are columns of the row")]
pub struct ClaimedTask {
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub queue: Arc<str>,
    pub payload: String,
    /// None when it is empty.
    pub metadata: Option<String>,
    pub attempt: i64,
    pub max_attempts: i64,
    pub root_id: Option<Arc<str>>,
    pub correlation_id: Option<String>,
    pub cancel_requested: bool,
}

/// The queue and the name of the last task read: most of the next have the same.
#[derive(Debug, Default)]
pub struct Shared {
    queue: Option<Arc<str>>,
    name: Option<Arc<str>>,
}

impl Shared {
    /// This queue, and this name.
    pub fn texts(&mut self, queue: &str, name: &str) -> (Arc<str>, Arc<str>) {
        (shared(&mut self.queue, queue), shared(&mut self.name, name))
    }
}

fn shared(last: &mut Option<Arc<str>>, text: &str) -> Arc<str> {
    let same = last.take().filter(|last| **last == *text);
    Arc::clone(last.insert(same.unwrap_or_else(|| text.into())))
}

/// Whether there are any metadata in this JSON.
#[must_use]
pub fn has_metadata(json: &str) -> bool {
    json != "{}"
}

/// `root`, which is the task's own id for most.
#[must_use]
pub fn root_of(id: &Arc<str>, root: &str) -> Arc<str> {
    if **id == *root {
        Arc::clone(id)
    } else {
        root.into()
    }
}

impl From<Task> for ClaimedTask {
    fn from(task: Task) -> Self {
        let id: Arc<str> = task.id.into();
        Self {
            name: task.name.into(),
            queue: task.queue.into(),
            payload: task.payload,
            metadata: Some(task.metadata).filter(|json| has_metadata(json)),
            attempt: task.attempt,
            max_attempts: task.max_attempts,
            root_id: task.root_id.map(|root| root_of(&id, &root)),
            id,
            correlation_id: task.correlation_id,
            cancel_requested: task.cancel_requested_at_ms.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_and_name_are_shared_while_they_stay_the_same() {
        let mut shared = Shared::default();
        let (queue, name) = shared.texts("mail", "send");
        let (same_queue, other_name) = shared.texts("mail", "bounce");
        assert!(Arc::ptr_eq(&queue, &same_queue));
        assert_eq!((&*name, &*other_name), ("send", "bounce"));
        let (other_queue, same_name) = shared.texts("chat", "bounce");
        assert_eq!(&*other_queue, "chat");
        assert!(Arc::ptr_eq(&other_name, &same_name));
    }

    #[test]
    fn a_task_that_is_its_own_root_names_it_once() {
        let id: Arc<str> = "task_1".into();
        assert!(Arc::ptr_eq(&id, &root_of(&id, "task_1")));
        assert_eq!(&*root_of(&id, "task_0"), "task_0");
    }
}
