//! A worker's rounds: what it writes and claims, one turn after the other.
//!
//! A round takes every outcome that is waiting and, when there is room, a claim, down to the store in one transaction.
//! While it is under way new outcomes gather for the next. Polling is the safety net behind the wakes. Nothing here
//! waits: `driver` says who takes a turn and when.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::answers;
use super::handoff::Ear;
use super::host::{Event, Phase};
use super::outbox::Pending;
use super::plan::{LatePlan, Made, Plan};
use super::sent::{Done, Sent};
use super::tasks::Attempt;
use super::{Core, REPLACED_CLAIM, options, timeout};
use crate::clock::now_ms;
use crate::error::{Error, Result};
use crate::store::answer::Answer;
use crate::store::round::{ClaimPlan, Planner, Round, Settlement};
use crate::store::wakes::Subscription;

/// How long claiming rests after an error.
const CLAIM_PAUSE: Duration = Duration::from_millis(250);

/// What the turns of a worker know of its rounds.
pub(super) struct Rounds {
    subscription: Arc<Subscription>,
    span: tracing::Span,
    /// Sent, and not come back.
    under_way: usize,
    /// Answers not applied to the books yet: the next round goes first.
    answered: VecDeque<Done>,
    claiming: bool,
    /// Claiming rests until then.
    pause_until: Option<Instant>,
    /// The next look without a reason.
    poll_at: Instant,
    /// The last claim brought something, or a task was announced since: a probe would be wasted.
    flowing: bool,
    /// Until when whoever takes the turns that time brings will sleep.
    sleeps_until: Instant,
    number: u64,
}

impl Rounds {
    /// The rounds of `core`, which takes a turn at every announcement from now on.
    pub(super) fn new(core: &Arc<Core>, span: tracing::Span) -> Self {
        let wakes = core.store.wakes();
        let subscription = wakes.subscribe_with(&core.options.queues, Ear::of(core));
        Self {
            subscription,
            span,
            under_way: 0,
            answered: VecDeque::new(),
            claiming: false,
            pause_until: None,
            poll_at: Instant::now(),
            flowing: false,
            sleeps_until: Instant::now(),
            number: 0,
        }
    }

    /// Does what there is to do now. Whether the loop has to hear of it: all is over, or it sleeps too long.
    pub(super) fn turn(&mut self, core: &Arc<Core>) -> bool {
        let _entered = self.span.clone().entered();
        crash_point!("claim-loop");
        loop {
            self.hear_back(core);
            timeout::expire(core);
            core.state().release_stale(Instant::now());
            if let Some((plan, outcome, sent)) = core.exchange.take_ended() {
                self.claimed(core, plan, outcome, sent);
            }
            if core.host.is_gone() {
                let mut state = core.state();
                state.stopping = true;
                state.release_unstarted();
            }
            core.full.store(false, Ordering::SeqCst);
            while !self.is_full(core) && self.start(core, Instant::now()) {}
            core.full.store(self.is_full(core), Ordering::SeqCst);
            if !self.apply_answers(core) || self.is_full(core) {
                break;
            }
            // Something may have to be sent again.
        }
        self.is_over(core) || self.next_timer(core) < self.sleeps_until
    }

    /// How long the loop may sleep.
    pub(super) fn sleep(&mut self, core: &Core) -> Instant {
        self.sleeps_until = self.next_timer(core);
        self.sleeps_until
    }

    /// Whether nothing is known to be due: the last claim left nothing behind, and nothing was announced since.
    pub(super) fn is_idle(&self, core: &Core) -> bool {
        let due = self.subscription.next_due();
        let interval = options::duration(core.options.heartbeat_interval_ms);
        !self.claiming
            && self.pause_until.is_none()
            && !core.look.load(Ordering::SeqCst)
            && due.is_none_or(|due_ms| due_ms > now_ms())
            && core.signs().allow_claims(interval)
    }

    /// Whether a round is under way.
    pub(super) fn is_waiting(&self) -> bool {
        self.under_way > 0
    }

    fn is_full(&self, core: &Core) -> bool {
        self.under_way >= core.store.rounds_in_flight()
    }

    pub(super) fn is_over(&self, core: &Core) -> bool {
        let state = core.state();
        // A host that is gone will never finish its calls; their leases end by themselves.
        let nothing_to_come = state.outbox.not_durable() == 0 && state.calls.reserved() == 0;
        let over = state.is_over() || (core.host.is_gone() && nothing_to_come);
        over && self.under_way == 0 && self.answered.is_empty() && !core.exchange.is_claiming()
    }

    /// Sends the next round, if there is anything to send.
    fn start(&mut self, core: &Arc<Core>, now: Instant) -> bool {
        if self.pause_until.is_some_and(|until| until <= now) {
            self.pause_until = None;
        }
        if self.poll_at <= now {
            self.poll_at = now + options::duration(core.options.poll_interval_ms);
            core.look.store(true, Ordering::SeqCst);
        }
        if self.subscription.take_due(now_ms()) {
            self.flowing = true;
            core.look.store(true, Ordering::SeqCst);
        }
        self.flowing |= self.subscription.take_certain();
        let mut state = core.state();
        let writes = state.outbox.is_waiting(now);
        let interval = options::duration(core.options.heartbeat_interval_ms);
        let claims = !self.claiming
            && self.pause_until.is_none()
            && core.signs().allow_claims(interval)
            && (writes || core.look.load(Ordering::SeqCst))
            && state.wants_claim();
        let by_host = core.replaced.load(Ordering::Relaxed) & REPLACED_CLAIM != 0;
        let another = self.under_way + 1 < core.store.rounds_in_flight();
        let load = state.load(claims, another, now);
        if claims && !load.claim {
            // It goes right behind them.
            core.look.store(true, Ordering::SeqCst);
        }
        let claims = load.claim;
        let (pending, releases) = if load.outcomes {
            state.outbox.take(now)
        } else {
            (Vec::new(), Vec::new())
        };
        // An attempt whose lease ended while its outcome waited has nothing left to settle.
        let (pending, void): (Vec<_>, Vec<_>) = pending
            .into_iter()
            .partition(|pending| state.tasks.get(pending.handle).is_some());
        let writes = !pending.is_empty() || !releases.is_empty();
        if claims {
            core.look.store(false, Ordering::SeqCst);
            self.claiming = true;
        }
        let host_plan = (claims && by_host).then(|| state.plan_claim());
        let settlements: Vec<Settlement> = pending
            .iter()
            .filter_map(|pending| Some(settlement(pending, state.tasks.get(pending.handle)?)))
            .collect();
        let release_ids = releases
            .iter()
            .filter_map(|&handle| Some(state.tasks.get(handle)?.task_id.to_string()))
            .collect();
        state.outbox.under_way += pending.len() + releases.len();
        let claim = (claims && !by_host).then(|| ClaimPlan {
            queues: core.options.queues.clone(),
            names: state
                .registry
                .names()
                .iter()
                .map(ToString::to_string)
                .collect(),
            probe: !self.flowing,
            planner: Box::new(LatePlan::new(core)) as Box<dyn Planner>,
        });
        drop(state);
        answers::void(core, void);
        match host_plan {
            Some(Some(plan)) => {
                let request = core.exchange.ask_claim(plan);
                core.host.emit(Event::Claim { request });
            }
            Some(None) => self.claiming = false,
            None => {}
        }
        if !writes && claim.is_none() {
            return false;
        }
        self.number += 1;
        let span = tracing::debug_span!(
            "round",
            number = self.number,
            settlements = settlements.len(),
            claim = claim.is_some()
        );
        let sent = Sent {
            claims: claim.is_some(),
            at: now,
            pending,
            releases,
            span,
        };
        let back = Arc::clone(core);
        let answer = Answer::new(move |reply| back.came_back(sent, reply));
        self.under_way += 1;
        let round = Round {
            owner: core.owner.clone(),
            settlements,
            releases: release_ids,
            claim,
        };
        core.store.round_for(round, answer);
        true
    }

    /// Takes in the rounds that have come back. What was claimed goes to the host at once; the rest can wait until the
    /// database has its next work.
    pub(super) fn hear_back(&mut self, core: &Core) {
        while let Some(mut done) = core.driver.next_back() {
            self.under_way -= 1;
            let claimed = done.claimed.take_if(|claimed| claimed.is_ok());
            let (span, at) = (done.sent.span.clone(), done.sent.at);
            // Before anything can fail, because somebody may wait for its answers.
            self.answered.push_back(done);
            if let Some(claimed) = claimed {
                span.in_scope(|| self.see_to_claim(core, claimed, at));
            }
        }
    }

    /// Whether there were any answers to apply.
    pub(super) fn apply_answers(&mut self, core: &Core) -> bool {
        let any = !self.answered.is_empty();
        while let Some(mut done) = self.answered.pop_front() {
            let _entered = done.sent.span.clone().entered();
            // Errors are told in the order of the round's parts.
            let pending = std::mem::take(&mut done.sent.pending);
            answers::settled(core, pending, std::mem::take(&mut done.settled));
            let releases = std::mem::take(&mut done.sent.releases);
            answers::released(core, releases, &done.released);
            if let Some(claimed) = done.claimed.take() {
                self.see_to_claim(core, claimed, done.sent.at);
            }
        }
        any
    }

    fn see_to_claim(&mut self, core: &Core, claimed: Result<Box<dyn Planner>>, sent: Instant) {
        match claimed {
            Ok(planner) => {
                let late = planner.into_any().downcast::<LatePlan>();
                match late.map_or(Made::NoRoom, |late| late.into_made()) {
                    Made::Plan(plan) => self.claimed(core, *plan, Ok(()), sent),
                    Made::NotNeeded => {
                        self.claim_ended(core);
                        core.state().stats.claim_ended(sent.elapsed(), 0);
                    }
                    Made::NoRoom => {
                        self.claiming = false;
                        // What was announced is still there, and not all that makes room again says so: the host may only
                        // have to take what it was given.
                        core.look.store(true, Ordering::SeqCst);
                    }
                }
            }
            Err(error) => self.claim_failed(core, error),
        }
    }

    fn claimed(&mut self, core: &Core, plan: Plan, outcome: Result<()>, sent: Instant) {
        if let Err(error) = outcome {
            return self.claim_failed(core, error);
        }
        self.claim_ended(core);
        let claimed = claim_ready(core, plan, sent);
        self.flowing = claimed.tasks > 0;
        if claimed.again {
            core.look.store(true, Ordering::SeqCst);
        }
    }

    fn claim_failed(&mut self, core: &Core, error: Error) {
        self.claim_ended(core);
        core.state().stats.claim_failed();
        self.pause_until = Some(Instant::now() + CLAIM_PAUSE);
        core.look.store(true, Ordering::SeqCst);
        core.host.emit(Event::Failed {
            phase: Phase::Claim,
            task_id: None,
            error,
        });
    }

    fn claim_ended(&mut self, core: &Core) {
        self.claiming = false;
        self.flowing = false;
        self.poll_at = Instant::now() + options::duration(core.options.poll_interval_ms);
    }

    fn next_timer(&self, core: &Core) -> Instant {
        let state = core.state();
        let now = Instant::now();
        let mut at = now + Duration::from_hours(1);
        let mut consider = |time: Option<Instant>| at = time.map_or(at, |time| time.min(at));
        consider(state.calls.next_deadline());
        if !self.is_full(core) {
            consider(state.outbox.next_retry());
            consider(state.gathers_until(now));
        }
        consider(state.stale_at(now));
        if state.calls.free_slots() > 0 && !state.stopping && !self.claiming {
            consider(Some(self.pause_until.unwrap_or(self.poll_at)));
            let due = self
                .subscription
                .next_due()
                .map(|due_ms| due_ms.saturating_sub(now_ms()).max(0));
            consider(due.map(|wait_ms| now + Duration::from_millis(wait_ms.unsigned_abs())));
        }
        at.max(now)
    }
}

/// Makes calls of a committed claim and tells the host.
fn claim_ready(core: &Core, plan: Plan, sent: Instant) -> super::state::Claimed {
    let (claimed, ready) = {
        let mut state = core.state();
        let claimed = state.claimed(plan, sent);
        (claimed, state.calls.has_offer())
    };
    if claimed.tasks > 0 {
        tracing::debug!(tasks = claimed.tasks, "claimed");
    }
    if ready {
        core.host.emit(Event::Ready);
    }
    claimed
}

fn settlement(pending: &Pending, attempt: &Attempt) -> Settlement {
    Settlement {
        task_id: Arc::clone(&attempt.task_id),
        queue: Arc::clone(&attempt.queue),
        outcome: pending.outcome.clone(),
        want_row: pending.request.is_some(),
    }
}
