//! Signs of life of the host's thread: whether it turns its event loop, and for how long it did not.

use std::time::{Duration, Instant};

/// What is known of the host's event loop.
#[derive(Debug, Default)]
pub struct Signs {
    asked: Option<Asked>,
}

#[derive(Debug)]
struct Asked {
    at: Instant,
    /// A task in play at the time: by the sign's coming it may be over.
    task_id: Option<String>,
    /// A call ran out of time, so nothing is claimed before the host has shown that it is not wedged.
    before_claims: bool,
}

impl Signs {
    /// Asks for a sign, naming a task in play. Whether the host has to be told; not while it owes one anyway.
    pub fn ask(&mut self, task_id: Option<String>, before_claims: bool) -> bool {
        if let Some(asked) = &mut self.asked {
            asked.before_claims |= before_claims;
            return false;
        }
        self.asked = Some(Asked {
            at: Instant::now(),
            task_id,
            before_claims,
        });
        true
    }

    /// For how long a sign has been outstanding.
    #[must_use]
    pub fn silence(&self) -> Duration {
        self.asked
            .as_ref()
            .map_or(Duration::ZERO, |asked| asked.at.elapsed())
    }

    /// Whether to claim for this host: not when it would leave the tasks lying.
    #[must_use]
    pub fn allow_claims(&self, interval: Duration) -> bool {
        self.asked
            .as_ref()
            .is_none_or(|asked| !asked.before_claims && asked.at.elapsed() < interval)
    }

    /// The sign came: how late it was, and the task that was in play when it was asked for.
    pub fn come(&mut self) -> Option<(Duration, Option<String>)> {
        self.asked
            .take()
            .map(|asked| (asked.at.elapsed(), asked.task_id))
    }
}
