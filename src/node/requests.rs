//! Requests of JavaScript, read into the store's commands.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::Conflict;
use crate::store::command::{ClaimScope, Command, Outcome, Owner, Target};

/// What a request asks for.
pub(super) enum Request {
    Connect,
    Close,
    Store(Command),
    ClaimOpen(ClaimScope),
    ClaimDraw {
        session: u32,
        names: Vec<String>,
        limit: i64,
    },
    ClaimClose {
        session: u32,
        commit: bool,
    },
    ClaimWake {
        queues: Vec<String>,
        ms: f64,
    },
    TaskDoneWake {
        id: String,
        ms: f64,
    },
    /// The task once it has ended; nothing when it has not within the time.
    TaskEnd {
        id: String,
        ms: f64,
    },
}

// One struct per shape of arguments; an operation with two shapes reads both from the same text.

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct Key {
    key: String,
}

#[derive(Deserialize)]
struct KeyAndConflict {
    key: String,
    conflict: Conflict,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Retry {
    reset_attempt: bool,
}

#[derive(Deserialize)]
struct Stats {
    queue: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Depth {
    queue: String,
    max_depth: f64,
}

#[derive(Deserialize)]
struct Claim {
    #[serde(flatten)]
    scope: ClaimScope,
    limit: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owned {
    #[serde(flatten)]
    owner: Owner,
    task_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnedBatch {
    #[serde(flatten)]
    owner: Owner,
    task_ids: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Retryable {
    pub(super) retryable: bool,
}

#[derive(Deserialize)]
pub(super) struct Progress {
    pub(super) progress: Option<f64>,
    pub(super) message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    retryable: bool,
    delay_ms: f64,
}

#[derive(Deserialize)]
struct SessionDraw {
    session: u32,
    names: Vec<String>,
    limit: f64,
}

#[derive(Deserialize)]
struct SessionClose {
    session: u32,
    commit: bool,
}

#[derive(Deserialize)]
struct QueuesAndMs {
    queues: Vec<String>,
    ms: f64,
}

#[derive(Deserialize)]
struct IdAndMs {
    id: String,
    ms: f64,
}

/// Reads JSON arguments; a mismatch is a fault of the glue, and says which field.
pub(super) fn arguments<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|error| format!("malformed arguments: {error}"))
}

/// The request behind an operation's name.
pub(super) fn read(operation: &str, json: &str, texts: Vec<String>) -> Result<Request, String> {
    let mut texts = texts.into_iter();
    Ok(match operation {
        "connect" => Request::Connect,
        "close" => Request::Close,
        "claimOpen" => Request::ClaimOpen(arguments(json)?),
        "claimDraw" => {
            let SessionDraw {
                session,
                names,
                limit,
            } = arguments(json)?;
            Request::ClaimDraw {
                session,
                names,
                limit: whole(limit),
            }
        }
        "claimClose" => {
            let SessionClose { session, commit } = arguments(json)?;
            Request::ClaimClose { session, commit }
        }
        "claimWake" => {
            let QueuesAndMs { queues, ms } = arguments(json)?;
            Request::ClaimWake { queues, ms }
        }
        "taskDoneWake" => {
            let IdAndMs { id, ms } = arguments(json)?;
            Request::TaskDoneWake { id, ms }
        }
        "taskEnd" => {
            let IdAndMs { id, ms } = arguments(json)?;
            Request::TaskEnd { id, ms }
        }
        _ => Request::Store(command(operation, json, &mut texts)?),
    })
}

fn command(
    operation: &str,
    json: &str,
    texts: &mut impl Iterator<Item = String>,
) -> Result<Command, String> {
    let target = || Ok::<_, String>(Target::Id(arguments::<Id>(json)?.id));
    let keyed = || Ok::<_, String>(Target::Key(arguments::<Key>(json)?.key));
    let mut text = || texts.next().unwrap_or_default();
    Ok(match operation {
        "protocolVersion" => Command::ProtocolVersion,
        "wouldReuse" => {
            let KeyAndConflict { key, conflict } = arguments(json)?;
            Command::WouldReuse { key, conflict }
        }
        "get" => Command::Get(target()?),
        "getByKey" => Command::Get(keyed()?),
        "getStatus" => Command::GetStatus(target()?),
        "getStatusByKey" => Command::GetStatus(keyed()?),
        "list" => Command::List(arguments(json)?),
        "cancel" => Command::Cancel(target()?),
        "cancelByKey" => Command::Cancel(keyed()?),
        "retry" => Command::Retry {
            target: target()?,
            reset_attempt: arguments::<Retry>(json)?.reset_attempt,
        },
        "retryByKey" => Command::Retry {
            target: keyed()?,
            reset_attempt: arguments::<Retry>(json)?.reset_attempt,
        },
        "purge" => Command::Purge(arguments(json)?),
        "stats" => Command::Stats {
            queue: arguments::<Stats>(json)?.queue,
        },
        "queueDepth" => {
            let Depth { queue, max_depth } = arguments(json)?;
            Command::QueueDepth {
                queue,
                max_depth: whole(max_depth),
            }
        }
        "inspect" => Command::Inspect(arguments(json)?),
        "claim" => {
            let Claim { scope, limit } = arguments(json)?;
            Command::Claim {
                scope,
                limit: whole(limit),
            }
        }
        "heartbeat" => {
            let Owned { owner, task_id } = arguments(json)?;
            Command::Heartbeat { owner, task_id }
        }
        "heartbeatBatch" => {
            let OwnedBatch { owner, task_ids } = arguments(json)?;
            Command::HeartbeatBatch { owner, task_ids }
        }
        "progress" => {
            let Owned { owner, task_id } = arguments(json)?;
            let Progress { progress, message } = arguments(json)?;
            Command::Progress {
                owner,
                task_id,
                progress,
                message,
            }
        }
        "succeed" | "complete" => {
            let result = Some(text()).filter(|text| !text.is_empty());
            let message = arguments::<Progress>(json)?.message;
            let outcome = if operation == "succeed" {
                Outcome::Succeed { result, message }
            } else {
                Outcome::Complete { result, message }
            };
            settle(json, outcome)?
        }
        "fail" => {
            let Failure {
                retryable,
                delay_ms,
            } = arguments(json)?;
            settle(
                json,
                Outcome::Fail {
                    error: text(),
                    retryable,
                    delay_ms: whole(delay_ms),
                },
            )?
        }
        other => return Err(format!("unknown operation {other}")),
    })
}

fn settle(json: &str, outcome: Outcome) -> Result<Command, String> {
    let Owned { owner, task_id } = arguments(json)?;
    Ok(Command::Settle {
        owner,
        task_id,
        outcome,
    })
}

fn whole(number: f64) -> i64 {
    crate::worker::options::whole(number)
}
