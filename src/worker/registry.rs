//! Which task names have a handler, and under which rules.

use std::collections::HashMap;
use std::sync::Arc;

use super::quota::{NameRules, Source, sources};

/// The registered names. An index, once given, stays the name's for good, so that calls in flight can be counted by it.
#[derive(Debug)]
pub struct Registry {
    names: Vec<Arc<str>>,
    rules: Vec<NameRules>,
    by_name: HashMap<Arc<str>, usize>,
    resources: Vec<String>,
    sources: Arc<[Source]>,
}

impl Registry {
    /// An empty registry over the worker's resources.
    #[must_use]
    pub fn new(resources: impl IntoIterator<Item = String>) -> Self {
        Self {
            names: Vec::new(),
            rules: Vec::new(),
            by_name: HashMap::new(),
            resources: resources.into_iter().collect(),
            sources: sources(&[]),
        }
    }

    /// Adds a name or replaces its rules. A resource that was not declared is none: JavaScript has refused it.
    pub fn register(
        &mut self,
        name: &str,
        batch: Option<u32>,
        concurrency: Option<u32>,
        resource: Option<&str>,
    ) {
        let resource =
            resource.and_then(|resource| self.resources.iter().position(|known| known == resource));
        let rules = NameRules {
            batch,
            concurrency,
            resource,
        };
        if let Some(&index) = self.by_name.get(name) {
            self.rules[index] = rules;
        } else {
            let name: Arc<str> = name.into();
            self.by_name.insert(Arc::clone(&name), self.names.len());
            self.names.push(name);
            self.rules.push(rules);
        }
        self.sources = sources(&self.rules);
    }

    /// The index of a claimed name. A name nobody registered, as a replaced claim may bring, gets one without rules;
    /// it is no source, so it is never asked for.
    pub fn index_or_register(&mut self, name: &str) -> usize {
        if let Some(&index) = self.by_name.get(name) {
            return index;
        }
        let sources = self.sources();
        self.register(name, None, None, None);
        self.sources = sources;
        self.names.len() - 1
    }

    /// Tasks per call of a name, at least 1.
    #[must_use]
    pub fn batch(&self, name: usize) -> usize {
        self.rules[name].batch.map_or(1, |batch| batch as usize)
    }

    /// The resource each call of a name holds.
    #[must_use]
    pub fn resource(&self, name: usize) -> Option<usize> {
        self.rules[name].resource
    }

    /// Every name, by index.
    #[must_use]
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The worker's resources, by index.
    #[must_use]
    pub fn resources(&self) -> &[String] {
        &self.resources
    }

    /// Whether there is anything to draw from.
    #[must_use]
    pub fn has_sources(&self) -> bool {
        !self.sources.is_empty()
    }

    /// What the scheduler draws from.
    #[must_use]
    pub fn sources(&self) -> Arc<[Source]> {
        Arc::clone(&self.sources)
    }
}
