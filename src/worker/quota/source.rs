//! What one draw asks for: a group of names that share every ceiling they have.

use std::sync::Arc;

/// What a name was registered with, as far as claiming goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NameRules {
    /// Tasks per handler call, at least 1; `None` is a plain handler.
    pub batch: Option<u32>,
    /// Calls of this name at once, at least 1; `None` leaves it to the worker's concurrency.
    pub concurrency: Option<u32>,
    /// The resource each call holds one unit of, as an index into the worker's resources.
    pub resource: Option<usize>,
}

impl NameRules {
    /// A name nothing distinguishes from its peers can be claimed together with them.
    fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// Names that are claimed by one draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    names: Vec<usize>,
    batch: u32,
    concurrency: Option<u32>,
    resource: Option<usize>,
}

impl Source {
    /// The names to claim, as indices into the registry; never empty. A source with a ceiling has one.
    #[must_use]
    pub fn names(&self) -> &[usize] {
        &self.names
    }

    /// Rows per handler call, at least 1.
    #[must_use]
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// The resource each call holds one unit of.
    #[must_use]
    pub fn resource(&self) -> Option<usize> {
        self.resource
    }

    pub(super) fn concurrency(&self) -> Option<u32> {
        self.concurrency
    }

    /// A name belongs to one source only, so its first name tells a source from the others, also after
    /// another registration has moved it within the list.
    pub(super) fn key(&self) -> usize {
        self.names[0]
    }
}

/// Splits the registered names (position = name index): one with a batch, a concurrency or a resource is
/// a source of its own, all others share one. No names give no sources, hence no claim.
#[must_use]
pub fn sources(names: &[NameRules]) -> Arc<[Source]> {
    let plain: Vec<usize> = (0..names.len())
        .filter(|&name| names[name].is_plain())
        .collect();
    let shared = Source {
        names: plain,
        batch: 1,
        concurrency: None,
        resource: None,
    };
    let own = names
        .iter()
        .enumerate()
        .filter(|(_, rules)| !rules.is_plain())
        .map(|(name, rules)| Source {
            names: vec![name],
            batch: rules.batch.unwrap_or(1).max(1),
            concurrency: rules.concurrency,
            resource: rules.resource,
        });
    std::iter::once(shared)
        .filter(|shared| !shared.names.is_empty())
        .chain(own)
        .collect()
}
