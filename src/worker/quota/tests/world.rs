//! A worker without a worker: queued tasks, calls in flight and ceilings, counted the obvious way.

use std::sync::Arc;

use proptest::prelude::*;

use super::model;
use crate::worker::quota::{NameRules, Room, Session, Source, Turns, sources};

/// A call that was claimed and is not over.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: usize,
    pub tasks: u32,
    /// False while it is held ready.
    pub running: bool,
}

#[derive(Debug, Clone)]
pub struct Config {
    pub names: Vec<NameRules>,
    pub capacity: Vec<u32>,
    pub concurrency: u32,
    pub claim_batch: Option<u32>,
}

#[derive(Debug, Clone)]
pub enum Step {
    /// The name is a number to be taken modulo the number of names.
    Submit {
        name: usize,
        tasks: u32,
    },
    /// Ends one running call, picked modulo how many there are.
    Finish(usize),
    /// From now on so many tasks may be held ready.
    Prefetch(u32),
    Claim,
}

/// What one source got in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    pub source: usize,
    pub limit_rows: u32,
    pub rows: u32,
}

#[derive(Debug)]
pub struct World {
    pub config: Config,
    pub sources: Arc<[Source]>,
    pub queued: Vec<u32>,
    pub calls: Vec<Call>,
    /// How many tasks may be held ready.
    pub prefetch: u32,
    pub worth_repeating: bool,
    turns: Turns,
    /// The model's memory of who was served when: least recently first.
    pub model_order: Vec<usize>,
    /// By source: sessions in a row that could have served it and did not.
    pub passed_over: Vec<usize>,
}

impl World {
    pub fn new(config: Config) -> Self {
        let sources = sources(&config.names);
        Self {
            queued: vec![0; config.names.len()],
            calls: Vec::new(),
            prefetch: 0,
            worth_repeating: false,
            turns: Turns::default(),
            model_order: (0..sources.len()).collect(),
            passed_over: vec![0; sources.len()],
            sources,
            config,
        }
    }

    pub fn apply(&mut self, step: &Step) {
        match step {
            Step::Submit { name, tasks } => {
                let name = name % self.queued.len();
                self.queued[name] += tasks;
            }
            Step::Finish(pick) => self.finish(*pick),
            Step::Prefetch(tasks) => self.prefetch = *tasks,
            Step::Claim => {
                self.claim();
            }
        }
    }

    fn finish(&mut self, pick: usize) {
        let running: Vec<usize> = (0..self.calls.len())
            .filter(|&c| self.calls[c].running)
            .collect();
        if !running.is_empty() {
            self.calls.remove(running[pick % running.len()]);
        }
        if self.running() < self.config.concurrency
            && let Some(held) = self.calls.iter_mut().find(|call| !call.running)
        {
            held.running = true;
        }
    }

    /// Runs one session with the real scheduler and checks everything that must hold around it.
    pub fn claim(&mut self) -> Vec<Got> {
        let expected = model::session(self);
        let held_before = self.held_tasks();
        let servable: Vec<bool> = (0..self.sources.len())
            .map(|s| self.is_servable(s))
            .collect();
        let mut session = Session::new(
            Arc::clone(&self.sources),
            self.turns.order(&self.sources),
            self.room(),
        );
        let mut got = Vec::new();
        while let Some(draw) = session.next_draw() {
            let (source, limit_rows) = (draw.source, draw.limit_rows);
            let claimed = self.take_rows(source, limit_rows);
            let rows = claimed.iter().map(|&(_, tasks)| tasks).sum();
            let made = self.start(source, &claimed);
            assert_eq!(
                session.record(draw, rows),
                made,
                "calls made of {rows} rows"
            );
            got.push(Got {
                source,
                limit_rows,
                rows,
            });
            self.check_ceilings();
        }
        assert_eq!(got, expected, "draws of the session and of the model");
        self.worth_repeating = session.is_worth_repeating();
        self.turns.served(&self.sources, session.served());
        self.check_draws(&got, held_before);
        self.note_passed_over(&servable, &got);
        got
    }

    fn room(&self) -> Room {
        Room {
            free_calls: self.config.concurrency.saturating_sub(self.running()),
            extra_tasks: self.prefetch.saturating_sub(self.held_tasks()),
            claim_batch: self.config.claim_batch,
            name_calls: (0..self.queued.len())
                .map(|name| self.calls_of_name(name))
                .collect(),
            resource_left: (0..self.config.capacity.len())
                .map(|r| self.config.capacity[r].saturating_sub(self.calls_of_resource(r)))
                .collect(),
        }
    }

    /// Takes up to `limit` queued rows of the source's names, one of each name in turn.
    fn take_rows(&mut self, source: usize, limit: u32) -> Vec<(usize, u32)> {
        let mut taken: Vec<(usize, u32)> = self.sources[source]
            .names()
            .iter()
            .map(|&name| (name, 0))
            .collect();
        let mut left = limit;
        while left > 0 && taken.iter().any(|&(name, _)| self.queued[name] > 0) {
            for (name, rows) in &mut taken {
                if left > 0 && self.queued[*name] > 0 {
                    self.queued[*name] -= 1;
                    *rows += 1;
                    left -= 1;
                }
            }
        }
        taken
    }

    /// Cuts rows to calls, runs what finds a slot and holds the rest.
    fn start(&mut self, source: usize, claimed: &[(usize, u32)]) -> u32 {
        let mut made = 0;
        for &(name, rows) in claimed {
            let mut left = rows;
            while left > 0 {
                let tasks = left.min(self.sources[source].batch());
                let running = self.running() < self.config.concurrency;
                self.calls.push(Call {
                    name,
                    tasks,
                    running,
                });
                left -= tasks;
                made += 1;
            }
        }
        made
    }

    pub fn running(&self) -> u32 {
        count(self.calls.iter().filter(|call| call.running))
    }

    pub fn held_tasks(&self) -> u32 {
        self.calls
            .iter()
            .filter(|call| !call.running)
            .map(|call| call.tasks)
            .sum()
    }

    pub fn calls_of_name(&self, name: usize) -> u32 {
        count(self.calls.iter().filter(|call| call.name == name))
    }

    pub fn calls_of_resource(&self, resource: usize) -> u32 {
        count(
            self.calls
                .iter()
                .filter(|call| self.config.names[call.name].resource == Some(resource)),
        )
    }

    pub fn queued_of(&self, source: usize) -> u32 {
        self.sources[source]
            .names()
            .iter()
            .map(|&name| self.queued[name])
            .sum()
    }

    /// Whether every ceiling but the worker's own has room for one more call of the source.
    pub fn has_own_room(&self, source: usize) -> bool {
        let name = self.sources[source].names()[0];
        let rules = self.config.names[name];
        rules
            .concurrency
            .is_none_or(|most| self.calls_of_name(name) < most)
            && rules
                .resource
                .is_none_or(|r| self.calls_of_resource(r) < self.config.capacity[r])
    }

    fn is_servable(&self, source: usize) -> bool {
        let room = self.running() < self.config.concurrency || self.held_tasks() < self.prefetch;
        room && self.queued_of(source) > 0 && self.has_own_room(source)
    }

    fn check_ceilings(&self) {
        assert!(
            self.running() <= self.config.concurrency,
            "worker concurrency exceeded"
        );
        for (name, rules) in self.config.names.iter().enumerate() {
            let most = rules.concurrency.unwrap_or(u32::MAX);
            assert!(
                self.calls_of_name(name) <= most,
                "concurrency of name {name} exceeded"
            );
        }
        for (resource, &capacity) in self.config.capacity.iter().enumerate() {
            assert!(
                self.calls_of_resource(resource) <= capacity,
                "resource {resource} exceeded"
            );
        }
    }

    fn check_draws(&self, got: &[Got], held_before: u32) {
        for (at, one) in got.iter().enumerate() {
            assert!(
                got[..at].iter().all(|other| other.source != one.source),
                "one draw per source"
            );
            let batch = self.sources[one.source].batch();
            if let Some(most) = self.config.claim_batch {
                assert!(one.limit_rows <= most.max(batch), "claimBatch exceeded");
            }
        }
        // The last call to be held is held whole.
        let batch = self.sources.iter().map(Source::batch).max().unwrap_or(1);
        let most = if self.prefetch == 0 {
            0
        } else {
            self.prefetch + batch - 1
        };
        assert!(
            self.held_tasks() <= most.max(held_before),
            "more held ready than asked for"
        );
        let may_hold = self.running() == self.config.concurrency;
        assert!(
            self.held_tasks() == 0 || may_hold,
            "held while a slot is free"
        );
    }

    fn note_passed_over(&mut self, servable: &[bool], got: &[Got]) {
        for (source, &servable) in servable.iter().enumerate() {
            if got.iter().any(|one| one.source == source && one.rows > 0) {
                self.passed_over[source] = 0;
            } else if servable {
                self.passed_over[source] += 1;
            }
        }
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).expect("a test world is small")
}

prop_compose! {
    fn any_rules(resources: usize)(
        batch in prop::option::weighted(0.3, 1..6_u32),
        concurrency in prop::option::weighted(0.4, 1..5_u32),
        resource in prop::option::weighted(0.4, 0..resources.max(1)),
    ) -> NameRules {
        NameRules { batch, concurrency, resource: resource.filter(|_| resources > 0) }
    }
}

/// Ceilings are small so that they bind, and meet one another, often.
pub fn any_config() -> impl Strategy<Value = Config> {
    prop::collection::vec(1..4_u32, 0..3).prop_flat_map(|capacity| {
        let names = prop::collection::vec(any_rules(capacity.len()), 1..8);
        (names, 1..9_u32, prop::option::weighted(0.4, 1..8_u32)).prop_map(
            move |(names, concurrency, claim_batch)| Config {
                names,
                capacity: capacity.clone(),
                concurrency,
                claim_batch,
            },
        )
    })
}

pub fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..64_usize, 1..12_u32).prop_map(|(name, tasks)| Step::Submit { name, tasks }),
        4 => (0..64_usize).prop_map(Step::Finish),
        1 => prop_oneof![2 => Just(0), 3 => 1..20_u32].prop_map(Step::Prefetch),
        4 => Just(Step::Claim),
    ];
    prop::collection::vec(step, 1..80)
}
