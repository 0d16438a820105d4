//! A submit of many tasks that is handed over part by part: the first are written while the last are on their way.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::command::NewTask;
use crate::error::{Error, Result};

enum Part {
    Tasks(Vec<NewTask>),
    /// All have come. A sender that is dropped before it says so has given the submit up.
    End,
}

/// The end that hands the tasks over.
pub struct Giver(UnboundedSender<Part>);

impl Giver {
    /// Hands over the next tasks.
    pub fn give(&self, tasks: Vec<NewTask>) {
        // Nobody takes them when the submit has failed already, which its answer says.
        let _ = self.0.send(Part::Tasks(tasks));
    }

    /// There are no more. To be called soon after the last part, since a transaction may be waiting for it.
    pub fn end(self) {
        let _ = self.0.send(Part::End);
    }
}

/// The end that takes them.
pub struct Parts {
    came: Vec<NewTask>,
    /// None when all have come.
    coming: Option<UnboundedReceiver<Part>>,
}

/// A submit of tasks that are still to come.
#[must_use]
pub fn parts() -> (Giver, Parts) {
    let (giver, coming) = unbounded_channel();
    let parts = Parts {
        came: Vec::new(),
        coming: Some(coming),
    };
    (Giver(giver), parts)
}

impl From<Vec<NewTask>> for Parts {
    fn from(tasks: Vec<NewTask>) -> Self {
        Self {
            came: tasks,
            coming: None,
        }
    }
}

impl Parts {
    /// The tasks that have come so far, from the first on.
    #[must_use]
    pub fn so_far(&self) -> &[NewTask] {
        &self.came
    }

    /// Waits for more tasks, on a thread that may wait. False when all have come.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the submit was given up.
    pub fn wait(&mut self) -> Result<bool> {
        match &mut self.coming {
            None => Ok(false),
            Some(coming) => {
                let part = coming.blocking_recv();
                self.take(part)
            }
        }
    }

    /// All tasks, once they have come.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the submit was given up.
    pub async fn gather(mut self) -> Result<Vec<NewTask>> {
        while let Some(coming) = &mut self.coming {
            let part = coming.recv().await;
            self.take(part)?;
        }
        Ok(self.came)
    }

    fn take(&mut self, part: Option<Part>) -> Result<bool> {
        match part {
            Some(Part::Tasks(tasks)) => self.came.extend(tasks),
            Some(Part::End) => self.coming = None,
            None => return Err(Error::Invalid("the submit was given up".to_owned())),
        }
        Ok(self.coming.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tasks: &[NewTask]) -> Vec<&str> {
        tasks.iter().map(|task| task.args.name.as_str()).collect()
    }

    #[test]
    fn parts_come_in_order_until_the_end() {
        let (giver, mut parts) = parts();
        giver.give(vec![NewTask::named("a"), NewTask::named("b")]);
        assert!(parts.wait().expect("a part"));
        assert_eq!(names(parts.so_far()), ["a", "b"]);
        giver.give(vec![NewTask::named("c")]);
        giver.end();
        assert!(parts.wait().expect("a part"));
        assert_eq!(names(parts.so_far()), ["a", "b", "c"]);
        for _ in 0..2 {
            assert!(!parts.wait().expect("the end"));
        }
    }

    #[tokio::test]
    async fn they_can_be_gathered() {
        let (giver, parts) = parts();
        giver.give(vec![NewTask::named("a")]);
        giver.give(vec![NewTask::named("b")]);
        giver.end();
        assert_eq!(names(&parts.gather().await.expect("all")), ["a", "b"]);
    }

    #[tokio::test]
    async fn what_is_given_up_is_no_submit() {
        let (giver, parts) = parts();
        giver.give(vec![NewTask::named("a")]);
        drop(giver);
        let error = parts.gather().await.expect_err("given up");
        assert!(error.to_string().contains("given up"), "{error}");
    }
}
