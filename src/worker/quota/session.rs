//! One claim session: a draw per source, each as large as what is still free allows.

use std::sync::Arc;

use super::source::Source;

/// What is free when a session begins. Calls held ready count as in flight for names and resources, so
/// that each of them can start the moment a slot is free.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// Slots free: the worker's concurrency minus the calls that run or are about to.
    pub free_calls: u32,
    /// Prefetch: tasks that may be claimed beyond the free slots, to be held ready.
    pub extra_tasks: u32,
    /// The most rows one draw may ask for; a batch is asked for whole even when it is larger.
    pub claim_batch: Option<u32>,
    /// Calls in flight by name index; a name past the end has none.
    pub name_calls: Vec<u32>,
    /// Units left by resource index; a resource past the end has none.
    pub resource_left: Vec<u32>,
}

/// Rows to claim now. To be handed back to [`Session::record`] with the number of rows it brought.
#[derive(Debug, PartialEq, Eq)]
pub struct Draw {
    /// Position in the sources the session was made with.
    pub source: usize,
    /// The most rows to claim, at least 1.
    pub limit_rows: u32,
}

/// The state of one claim session. Cheap to make and to send to the thread that talks to the database.
#[derive(Debug, Clone)]
pub struct Session {
    sources: Arc<[Source]>,
    order: Vec<usize>,
    asked: usize,
    free_calls: u32,
    extra_tasks: u32,
    claim_batch: Option<u32>,
    /// By source.
    concurrency_left: Vec<Option<u32>>,
    resource_left: Vec<u32>,
    served: Vec<usize>,
    /// Sources that brought all they were asked for, so that they may have more.
    full: Vec<usize>,
}

impl Session {
    /// Begins a session. `order` holds positions in `sources` (see [`Turns::order`](super::Turns::order)).
    #[must_use]
    pub fn new(sources: Arc<[Source]>, order: Vec<usize>, room: Room) -> Self {
        let in_flight = |source: &Source| room.name_calls.get(source.key()).copied().unwrap_or(0);
        let concurrency_left = sources
            .iter()
            .map(|s| {
                s.concurrency()
                    .map(|most| most.saturating_sub(in_flight(s)))
            })
            .collect();
        Self {
            sources,
            order,
            asked: 0,
            free_calls: room.free_calls,
            extra_tasks: room.extra_tasks,
            claim_batch: room.claim_batch,
            concurrency_left,
            resource_left: room.resource_left,
            served: Vec::new(),
            full: Vec::new(),
        }
    }

    /// The sources of this session.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The next draw, or `None` when nothing is free or every source had its draw. A draw that is never
    /// recorded counts as one that brought nothing.
    pub fn next_draw(&mut self) -> Option<Draw> {
        while self.asked < self.order.len() && !self.is_spent() {
            let source = self.order[self.asked];
            self.asked += 1;
            let calls = self.calls_for(source);
            if calls > 0 {
                let limit_rows = calls.saturating_mul(self.sources[source].batch());
                return Some(Draw { source, limit_rows });
            }
        }
        None
    }

    /// Books what a draw brought, by the calls its rows really make: a source that had less than it was
    /// asked for leaves the rest to the next one. Returns the number of calls.
    #[expect(clippy::needless_pass_by_value, reason = "a draw can be recorded once")]
    pub fn record(&mut self, draw: Draw, rows: u32) -> u32 {
        if rows == 0 {
            return 0;
        }
        let Draw { source, limit_rows } = draw;
        let batch = self.sources[source].batch();
        let calls = rows.div_ceil(batch);
        let started = calls.min(self.free_calls);
        self.free_calls -= started;
        let held_rows = rows.saturating_sub(started.saturating_mul(batch));
        self.extra_tasks = self.extra_tasks.saturating_sub(held_rows);
        if let Some(left) = &mut self.concurrency_left[source] {
            *left = left.saturating_sub(calls);
        }
        if let Some(left) = self.sources[source]
            .resource()
            .and_then(|r| self.resource_left.get_mut(r))
        {
            *left = left.saturating_sub(calls);
        }
        self.served.push(source);
        if rows >= limit_rows {
            self.full.push(source);
        }
        calls
    }

    /// The sources that got rows, in the order in which they did.
    #[must_use]
    pub fn served(&self) -> &[usize] {
        &self.served
    }

    /// Whether another session at once could fill a free slot. If not, whatever is still queued waits for
    /// a ceiling, and only a freed call or a new task is worth another look.
    #[must_use]
    pub fn is_worth_repeating(&self) -> bool {
        self.free_calls > 0 && self.full.iter().any(|&source| self.calls_for(source) > 0)
    }

    fn is_spent(&self) -> bool {
        self.free_calls == 0 && self.extra_tasks == 0
    }

    /// Calls a draw of this source may make now.
    fn calls_for(&self, source: usize) -> u32 {
        let batch = self.sources[source].batch();
        let own = self.own_left(source);
        let all = self.free_calls.saturating_add(self.extra_tasks / batch);
        // Nothing is held ready of a source whose own ceiling binds: its calls would wait for one another.
        let calls = if own < all {
            own.min(self.free_calls)
        } else {
            all
        };
        // But with no slot free it may hold one when its turn comes. The calls held for others take every
        // slot that comes free, so a source that had to find a free one would never be served.
        let turn = u32::from(self.free_calls == 0 && self.extra_tasks > 0).min(own);
        let ceiling = self
            .claim_batch
            .map_or(u32::MAX, |rows| (rows / batch).max(1));
        calls.max(turn).min(ceiling)
    }

    /// What the source's own ceilings leave: its name's concurrency and its resource.
    fn own_left(&self, source: usize) -> u32 {
        let of_name = self.concurrency_left[source].unwrap_or(u32::MAX);
        let of_resource = self.sources[source].resource().map_or(u32::MAX, |r| {
            self.resource_left.get(r).copied().unwrap_or(0)
        });
        of_name.min(of_resource)
    }
}
