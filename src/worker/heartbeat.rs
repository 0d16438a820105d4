//! Leases are renewed here, off the JavaScript thread: one statement per beat for everything in play.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use super::host::{Event, Handle, Phase};
use super::tasks::Progress;
use super::{Core, REPLACED_HEARTBEAT, options};
use crate::error::{Error, Result};
use crate::runtime::guarded;

/// A failed beat is tried again after this part of the interval, at most a second.
const RETRY_PART: u32 = 5;
const RETRY_MIN: Duration = Duration::from_millis(20);
const RETRY_MAX: Duration = Duration::from_secs(1);

/// Beats until it is aborted.
pub(super) async fn run(core: Arc<Core>) {
    let interval = options::duration(core.options.heartbeat_interval_ms);
    let retry = (interval / RETRY_PART)
        .clamp(RETRY_MIN, RETRY_MAX)
        .min(interval);
    let mut wait = interval;
    loop {
        sleep(wait).await;
        let began = Instant::now();
        let beat = guarded("the heartbeat", async { Ok(beat(&core, interval).await) });
        let beaten = beat.await.unwrap_or_else(|error| {
            core.host.emit(Event::Failed {
                phase: Phase::Execute,
                task_id: None,
                error,
            });
            false
        });
        wait = if beaten {
            interval.saturating_sub(began.elapsed())
        } else {
            retry
        };
    }
}

/// One beat. False when the renewal failed and should be tried again soon.
async fn beat(core: &Arc<Core>, interval: Duration) -> bool {
    let leased = leased(core);
    if leased.is_empty() {
        return true;
    }
    crash_point!("heartbeat");
    let silence = watch_host(core, interval, leased.first().map(|(_, id)| id.clone()));
    let max_blocked = options::duration(core.options.max_blocked_ms);
    if !max_blocked.is_zero() && silence > max_blocked {
        tracing::warn!(
            worker = core.owner.worker_id,
            ?silence,
            "the thread is wedged, its leases are given up"
        );
        give_up_ended(core);
        return true;
    }
    let sent = Instant::now();
    let (handles, ids): (Vec<Handle>, Vec<String>) = leased.into_iter().unzip();
    let count = ids.len();
    match renew(core, ids.clone()).await {
        Ok(renewed) => {
            tracing::debug!(worker = core.owner.worker_id, count, "renewed");
            apply(core, &handles, &ids, renewed, sent);
            true
        }
        Err(error) => {
            let task_id = ids.into_iter().next();
            core.host.emit(Event::Failed {
                phase: Phase::Execute,
                task_id,
                error,
            });
            give_up_ended(core);
            false
        }
    }
}

/// The attempts to renew: all but those on their way back to the queue.
fn leased(core: &Core) -> Vec<(Handle, String)> {
    let state = core.state();
    let attempts = state
        .tasks
        .iter()
        .filter(|(_, attempt)| attempt.progress != Progress::Releasing);
    attempts
        .map(|(handle, attempt)| (handle, attempt.task_id.to_string()))
        .collect()
}

/// Asks the host for a sign of life. A host that owes one since the last beat holds nothing ready any longer.
fn watch_host(core: &Core, interval: Duration, task_id: Option<String>) -> Duration {
    let (silence, ask) = {
        let mut signs = core.signs();
        (signs.silence(), signs.ask(task_id, false))
    };
    if ask {
        core.host.ping();
    } else if silence >= interval && core.state().release_unstarted() > 0 {
        core.changed.notify_one();
    }
    silence
}

async fn renew(core: &Arc<Core>, ids: Vec<String>) -> Result<Vec<(String, bool)>> {
    if core.replaced.load(Ordering::Relaxed) & REPLACED_HEARTBEAT == 0 {
        return core.store.renew(core.owner.clone(), ids).await;
    }
    let (request, answer) = core.exchange.ask_beat();
    core.host.emit(Event::Beat {
        request,
        task_ids: ids,
    });
    let patience = options::duration(core.options.lease_ms);
    match timeout(patience, answer).await {
        Ok(Ok(answer)) => answer,
        _ => Err(Error::Internal(
            "the replaced heartbeatBatch did not answer within a lease".to_owned(),
        )),
    }
}

fn apply(
    core: &Core,
    handles: &[Handle],
    ids: &[String],
    renewed: Vec<(String, bool)>,
    sent: Instant,
) {
    let renewed: std::collections::HashMap<String, bool> = renewed.into_iter().collect();
    let lease = options::duration(core.options.lease_ms);
    let mut lost = Vec::new();
    {
        let mut state = core.state();
        for (&handle, id) in handles.iter().zip(ids) {
            let Some(attempt) = state.tasks.get_mut(handle) else {
                continue;
            };
            match renewed.get(id) {
                Some(&cancel) => {
                    attempt.lease_ends = sent + lease;
                    attempt.cancel_requested |= cancel;
                }
                // A settlement under way has crossed the renewal; it will say itself whether it came too late.
                None if attempt.progress == Progress::Settling => {}
                None => {
                    state.lose(handle);
                    lost.push(handle);
                }
            }
        }
    }
    tell_lost(core, lost);
}

/// Loses what is past its time; a renewal that failed leaves the rest until then.
fn give_up_ended(core: &Core) {
    let now = Instant::now();
    let lost: Vec<Handle> = {
        let mut state = core.state();
        let ended: Vec<Handle> = state
            .tasks
            .iter()
            .filter(|(_, attempt)| {
                attempt.progress == Progress::Running && attempt.lease_ends <= now
            })
            .map(|(handle, _)| handle)
            .collect();
        ended
            .into_iter()
            .filter(|&handle| state.lose(handle).is_some())
            .collect()
    };
    tell_lost(core, lost);
}

fn tell_lost(core: &Core, lost: Vec<Handle>) {
    if !lost.is_empty() {
        tracing::warn!(
            worker = core.owner.worker_id,
            count = lost.len(),
            "lost leases"
        );
        core.host.emit(Event::Lost(lost));
    }
}
