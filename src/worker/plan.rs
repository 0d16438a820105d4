//! A claim session as the store sees it: the quota scheduler, names instead of indexes, and the byte budget.

use std::any::Any;
use std::sync::Arc;

use super::Core;
use super::quota::{self, Session};
use crate::store::claimed::ClaimedTask;
use crate::store::round::{Draw, Planner};

/// A plan made when the first draw is asked for, after the outcomes of its round have been written: by then the host has
/// begun more of what it holds, and there is room for more.
pub struct LatePlan {
    core: Arc<Core>,
    made: Made,
}

/// What became of a plan that is made late.
pub enum Made {
    /// No draw was asked for: a look had shown that there is nothing to claim.
    NotNeeded,
    /// There was no room any more.
    NoRoom,
    /// It was made.
    Plan(Box<Plan>),
}

impl LatePlan {
    /// A plan to be made of what `core` has room for by then.
    pub(super) fn new(core: &Arc<Core>) -> Self {
        Self {
            core: Arc::clone(core),
            made: Made::NotNeeded,
        }
    }

    /// How it ended.
    pub(super) fn into_made(self) -> Made {
        self.made
    }

    fn plan(&mut self) -> Option<&mut Plan> {
        match &mut self.made {
            Made::Plan(plan) => Some(plan),
            Made::NotNeeded | Made::NoRoom => None,
        }
    }
}

impl Planner for LatePlan {
    fn next_draw(&mut self) -> Option<Draw> {
        if matches!(self.made, Made::NotNeeded) {
            let plan = self.core.state().plan_claim();
            self.made = plan.map_or(Made::NoRoom, |plan| Made::Plan(Box::new(plan)));
        }
        self.plan()?.next_draw()
    }

    fn record(&mut self, rows: Vec<ClaimedTask>) {
        if let Some(plan) = self.plan() {
            plan.record(rows);
        }
    }

    fn cut_short(&mut self) {
        if let Some(plan) = self.plan() {
            plan.cut_short();
        }
    }

    fn restart(&mut self) {
        if let Some(plan) = self.plan() {
            plan.restart();
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}

/// Draws for one claim session, and the rows they brought.
pub struct Plan {
    session: Session,
    /// The session as it began, for a transaction that starts again.
    fresh: Session,
    names: Arc<[Arc<str>]>,
    /// Payload bytes the worker may still take on; none = no budget.
    bytes_left: Option<u64>,
    bytes_at_start: Option<u64>,
    /// Nothing is in flight, so one payload may pass the budget alone.
    empty_worker: bool,
    cut_short: bool,
    current: Option<quota::Draw>,
    drawn: Vec<Vec<ClaimedTask>>,
}

impl Plan {
    /// A session over `names` (by index) with `bytes_left` of the byte budget.
    #[must_use]
    pub fn new(
        session: Session,
        names: Arc<[Arc<str>]>,
        bytes_left: Option<u64>,
        empty_worker: bool,
    ) -> Self {
        Self {
            fresh: session.clone(),
            session,
            names,
            bytes_left,
            bytes_at_start: bytes_left,
            empty_worker,
            cut_short: false,
            current: None,
            drawn: Vec::new(),
        }
    }

    /// The index of `name` when this session would draw a row of it with `bytes` of payload, and no other were queued.
    #[must_use]
    pub fn would_draw(mut self, name: &str, bytes: u64) -> Option<usize> {
        let fits = self.bytes_left.is_none_or(|left| bytes <= left);
        if !fits && !self.empty_worker {
            return None;
        }
        while let Some(draw) = self.session.next_draw() {
            let names = self.session.sources()[draw.source].names();
            let found = names.iter().find(|&&index| &*self.names[index] == name);
            if found.is_some() {
                return found.copied();
            }
        }
        None
    }

    /// The session and the rows of each draw, in claim order.
    #[must_use]
    pub fn into_parts(self) -> (Session, Vec<Vec<ClaimedTask>>) {
        (self.session, self.drawn)
    }
}

impl Planner for Plan {
    fn next_draw(&mut self) -> Option<Draw> {
        let oversize_first = self.empty_worker && self.drawn.is_empty();
        if self.cut_short || (self.bytes_left == Some(0) && !oversize_first) {
            return None;
        }
        let draw = self.session.next_draw()?;
        let names = self.session.sources()[draw.source].names();
        let request = Draw {
            names: names
                .iter()
                .map(|&name| self.names[name].to_string())
                .collect(),
            limit: draw.limit_rows,
            max_bytes: self.bytes_left,
            oversize_first,
        };
        self.current = Some(draw);
        Some(request)
    }

    fn record(&mut self, rows: Vec<ClaimedTask>) {
        // A replaced claim may bring rows it did not draw; they are ours all the same.
        if let Some(draw) = self.current.take() {
            self.session
                .record(draw, u32::try_from(rows.len()).unwrap_or(u32::MAX));
        }
        if rows.is_empty() {
            return;
        }
        if let Some(left) = &mut self.bytes_left {
            let taken = rows.iter().map(|task| task.payload.len() as u64).sum();
            *left = left.saturating_sub(taken);
        }
        self.drawn.push(rows);
    }

    fn cut_short(&mut self) {
        self.cut_short = true;
    }

    fn restart(&mut self) {
        self.session = self.fresh.clone();
        self.bytes_left = self.bytes_at_start;
        self.cut_short = false;
        self.current = None;
        self.drawn.clear();
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}
