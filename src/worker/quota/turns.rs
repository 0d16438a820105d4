//! Who goes first: the source that has waited longest since it last got rows.

use super::source::Source;

/// Remembers when each source last got rows. Owned by the claim loop, for as long as it runs.
///
/// A counter that moves on by one per round would not do: two sources that share a resource, or a round
/// that finds nothing, can fall into step with it, and then the same source meets a free unit every time.
/// Here a source that was passed over keeps its place, so among `n` sources it is passed over in at most
/// `n - 1` rounds in which it could have been served.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    clock: u64,
    /// By [`Source::key`]; 0 = never, which goes first.
    last_served: Vec<u64>,
}

impl Turns {
    /// The positions of `sources` in the order in which they may draw.
    #[must_use]
    pub fn order(&self, sources: &[Source]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&source| {
            self.last_served
                .get(sources[source].key())
                .copied()
                .unwrap_or(0)
        });
        order
    }

    /// Moves the sources that got rows ([`Session::served`](super::Session::served)) to the back. Call it
    /// when the claim is committed: one that was rolled back has served nobody.
    pub fn served(&mut self, sources: &[Source], served: &[usize]) {
        for &source in served {
            let key = sources[source].key();
            if self.last_served.len() <= key {
                self.last_served.resize(key + 1, 0);
            }
            self.clock += 1;
            self.last_served[key] = self.clock;
        }
    }
}
