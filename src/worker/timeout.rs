//! maxRunMs: calls whose time is over. Measured here, so that it works while the JavaScript thread is blocked.

use std::time::Instant;

use super::Core;
use super::host::Event;

/// Ends every call whose time is over.
pub(super) fn expire(core: &Core) {
    let Some(max_run_ms) = core.options.max_run_ms else {
        return;
    };
    let events: Vec<_> = {
        let mut state = core.state();
        let expired = state.calls.expired(Instant::now());
        expired
            .into_iter()
            .filter_map(|call| state.time_out(call, max_run_ms))
            .collect()
    };
    if events.is_empty() {
        return;
    }
    // The handler may have wedged the thread; what it would claim now would lie there.
    if core.signs().ask(None, true) {
        core.host.ping();
    }
    for event in events {
        tracing::warn!(
            worker = core.owner.worker_id,
            max_run_ms,
            "a call ran out of time"
        );
        core.host.emit(event);
    }
    // Nothing returns from an expired call, so nobody would come for what was held behind it.
    let waits = core.state().calls.has_offer();
    if waits {
        core.host.emit(Event::Ready);
    }
}
