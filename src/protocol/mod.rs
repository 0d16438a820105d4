//! Every SQL text in one place per dialect, the migrations, and the constants both sides of the protocol share.
//!
//! Architecture invariant: no SQL outside this folder and `protocol/`.

mod inspect;
pub mod postgres;
pub mod sqlite;

/// The protocol this SDK speaks.
pub const PROTOCOL_VERSION: i64 = 1;

/// Where we bring a database on our own: the level a 0.6 process beside us keeps its indexes at.
pub const DEFAULT_LEVEL: u32 = 6;

/// Where `migrate: 'latest'` brings it.
pub const LATEST_LEVEL: u32 = 10;

/// From this level on the claim goes by due time instead of creation time.
pub const DUE_ORDER_LEVEL: u32 = 8;

/// The envelope of a task whose lease ended on its last attempt.
pub const LEASE_EXPIRED: &str = concat!(
    r#"{"type":"LeaseExpired","code":"lease_expired","#,
    r#""message":"task lease expired and max attempts reached","retryable":false,"details":{}}"#
);

/// One migration file of the ledger.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The name peers know it by.
    pub name: &'static str,
    /// The level it belongs to: applied when the wanted level is at least this.
    pub level: u32,
    /// Its statements.
    pub sql: &'static str,
}

/// How far to migrate on opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(from = "Wish")]
pub enum MigrateTo {
    /// To [`DEFAULT_LEVEL`], leaving a newer database where it is.
    #[default]
    Default,
    /// To [`LATEST_LEVEL`].
    Latest,
    /// To this one, leaving a newer database where it is.
    Level(u32),
    /// Nowhere: a database that is not there is not made either.
    Never,
}

/// As JavaScript writes it.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Wish {
    Level(u32),
    Word(WishWord),
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum WishWord {
    Latest,
    Never,
}

impl From<Wish> for MigrateTo {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Level(level) => Self::Level(level),
            Wish::Word(WishWord::Latest) => Self::Latest,
            Wish::Word(WishWord::Never) => Self::Never,
        }
    }
}

impl MigrateTo {
    /// The level as a number.
    #[must_use]
    pub const fn level(self) -> u32 {
        match self {
            Self::Default => DEFAULT_LEVEL,
            Self::Latest => LATEST_LEVEL,
            Self::Level(level) => level,
            Self::Never => 0,
        }
    }
}

/// Both ends of what a database we open can be.
#[cfg(test)]
pub(crate) const MIGRATE_TARGETS: [MigrateTo; 2] = [MigrateTo::Default, MigrateTo::Latest];
