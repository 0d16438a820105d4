//! A worker as JavaScript holds it, and the program around it as the worker sees it.

use std::sync::Arc;

use napi_derive::napi;
use serde_json::{Map, Value, json};

use super::bridge::{Bridge, NativeBridge};
use super::store::NativeStore;
use super::{delivery, invalid, requests};
use crate::error::{Error, Result};
use crate::store::command::Reply;
use crate::worker::Worker;
use crate::worker::host::{Event, Host, Report};
use crate::worker::options::Options;

/// The JavaScript side of one worker: events go up its channel.
struct JsHost {
    bridge: Arc<Bridge>,
    channel: u32,
}

impl Host for JsHost {
    fn emit(&self, event: Event) {
        self.bridge.event(self.channel, event_text(event));
    }

    fn answer(&self, request: u32, outcome: Result<Reply>) {
        self.bridge.answer(request, outcome);
    }

    fn ping(&self) {
        self.bridge.wake();
    }

    fn is_gone(&self) -> bool {
        self.bridge.is_gone()
    }
}

fn event_text(event: Event) -> String {
    match event {
        Event::Ready => json!({ "e": "ready" }),
        Event::Lost(handles) => json!({ "e": "lost", "handles": handles }),
        Event::Failed {
            phase,
            task_id,
            error,
        } => {
            let mut fields = Map::new();
            fields.insert("e".into(), json!("error"));
            fields.insert("phase".into(), json!(phase.as_str()));
            if let Some(task_id) = task_id {
                fields.insert("taskId".into(), json!(task_id));
            }
            let error = serde_json::from_str(&error.to_json()).unwrap_or_default();
            fields.insert("error".into(), error);
            Value::Object(fields)
        }
        Event::Blocked {
            task_id,
            late_ms,
            interval_ms,
            lease_ms,
        } => json!({
            "e": "blocked",
            "taskId": task_id,
            "lateMs": late_ms,
            "intervalMs": interval_ms,
            "leaseMs": lease_ms,
        }),
        Event::Claim { request } => json!({ "e": "claim", "req": request }),
        Event::Beat { request, task_ids } => {
            json!({ "e": "beat", "req": request, "taskIds": task_ids })
        }
    }
    .to_string()
}

/// A worker. Nothing runs before `run`.
#[napi]
pub struct NativeWorker {
    worker: Arc<Worker>,
}

#[napi]
impl NativeWorker {
    /// A worker on `store` whose events go to `channel`; options as JSON, checked by lib/worker.
    #[napi(constructor)]
    pub fn new(
        bridge: &NativeBridge,
        store: &NativeStore,
        channel: u32,
        options: String,
    ) -> napi::Result<Self> {
        let options: Options = requests::arguments(&options).map_err(invalid)?;
        let host = JsHost {
            bridge: Arc::clone(&bridge.inner),
            channel,
        };
        let worker = Arc::new(Worker::new(
            Arc::clone(&store.backend),
            Arc::new(host),
            options,
        ));
        bridge.inner.report_life_to(&worker);
        Ok(Self { worker })
    }

    /// Registers a handler's name.
    #[napi(catch_unwind)]
    pub fn register(
        &self,
        name: String,
        batch: Option<u32>,
        concurrency: Option<u32>,
        resource: Option<String>,
    ) {
        self.worker
            .register(&name, batch, concurrency, resource.as_deref());
    }

    /// Runs; `request` is answered when everything is over.
    #[napi(catch_unwind)]
    pub fn run(&self, request: u32, concurrency: u32) {
        self.worker.run(request, concurrency);
    }

    /// Stops for good; after `graceMs` what still runs is abandoned.
    #[napi(catch_unwind)]
    pub fn stop(&self, grace_ms: Option<f64>) {
        self.worker.stop(grace_ms);
    }

    /// Which store methods are replaced: 1 claimSession, 2 heartbeatBatch.
    #[napi(catch_unwind)]
    pub fn replaced(&self, bits: u32) {
        self.worker.replaced(bits);
    }

    /// The next calls: a description and their payloads.
    #[napi(catch_unwind)]
    pub fn take(&self) -> Option<Vec<String>> {
        delivery::texts(self.worker.take())
    }

    /// Hands outcomes down and takes the next calls.
    #[napi(catch_unwind)]
    pub fn settle(&self, codes: &[u32], text: String) -> napi::Result<Option<Vec<String>>> {
        let reports = delivery::reports(codes, &text).map_err(invalid)?;
        Ok(delivery::texts(self.worker.settle(reports)))
    }

    /// Whether an attempt that was taken may still begin.
    #[napi(catch_unwind)]
    pub fn holds(&self, handle: u32) -> bool {
        self.worker.holds(handle)
    }

    /// What is known of an attempt now: bits 1 cancel requested, 2 lost, 8 over.
    #[napi(catch_unwind)]
    pub fn state(&self, handle: u32) -> u32 {
        self.worker.attempt_state(handle)
    }

    /// What the worker holds and has done, as JSON.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> napi::Result<String> {
        serde_json::to_string(&self.worker.stats()).map_err(|error| invalid(error.to_string()))
    }

    /// An operation of a task context: progress, heartbeat, complete or fail.
    #[napi(catch_unwind)]
    pub fn request(
        &self,
        id: u32,
        handle: u32,
        operation: String,
        args: String,
        texts: Vec<String>,
    ) -> napi::Result<()> {
        let text = texts.into_iter().next().unwrap_or_default();
        match operation.as_str() {
            "progress" => {
                let requests::Progress { progress, message } =
                    requests::arguments(&args).map_err(invalid)?;
                self.worker.progress(id, handle, progress, message);
            }
            "heartbeat" => self.worker.heartbeat(id, handle),
            "complete" => {
                let result = Some(text).filter(|text| !text.is_empty());
                self.worker
                    .settle_one(id, handle, Report::Complete(handle, result));
            }
            "fail" => {
                let requests::Retryable { retryable } =
                    requests::arguments(&args).map_err(invalid)?;
                self.worker.settle_one(
                    id,
                    handle,
                    Report::Fail {
                        handle,
                        error: text,
                        retryable,
                    },
                );
            }
            other => return Err(invalid(format!("unknown operation {other}"))),
        }
        Ok(())
    }

    /// The next draw of a claim JavaScript runs: `{"names": [...], "limit": n}`, none when the session is over.
    #[napi(catch_unwind)]
    pub fn plan_next(&self, request: u32) -> Option<String> {
        let draw = self.worker.plan_next(request)?;
        Some(json!({ "names": draw.names, "limit": draw.limit }).to_string())
    }

    /// The rows of that draw: an array of tasks without payloads, and the payload texts.
    #[napi(catch_unwind)]
    pub fn plan_rows(&self, request: u32, rows: String, payloads: Vec<String>) -> napi::Result<()> {
        let rows = delivery::claimed_rows(&rows, payloads).map_err(invalid)?;
        self.worker.plan_rows(request, rows);
        Ok(())
    }

    /// The end of a claim JavaScript ran; an error as JSON when it failed.
    #[napi(catch_unwind)]
    pub fn plan_end(&self, request: u32, error: Option<String>) {
        self.worker.plan_end(request, outcome(error));
    }

    /// The answer to a renewal JavaScript carried out: pairs of id and cancel flag, or an error as JSON.
    #[napi(catch_unwind)]
    pub fn beat_end(
        &self,
        request: u32,
        error: Option<String>,
        renewed: Option<String>,
    ) -> napi::Result<()> {
        let renewed = match renewed {
            Some(renewed) => requests::arguments(&renewed).map_err(invalid)?,
            None => Vec::new(),
        };
        self.worker
            .beat_end(request, outcome(error).map(|()| renewed));
        Ok(())
    }
}

/// An error that came from JavaScript, going back there as it was.
fn outcome(error: Option<String>) -> Result<()> {
    error.map_or(Ok(()), |error| Err(Error::Foreign(error)))
}
