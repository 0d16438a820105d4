/**
 * OpenTelemetry spans for tasks. Whoever submits a task has a span, and so has every run of it; they
 * belong together across processes, because the W3C trace context travels in the task's metadata.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe } from 'node:diagnostics_channel';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

const tracer = trace.getTracer('@cairnq/native');

/**
 * `client.submit()` under a span; a handler gives its context in the client's place.
 *
 * @param {import('@cairnq/native').CairnQ | import('@cairnq/native').TaskContext} client
 * @param {string} name
 * @param {unknown} payload
 * @param {import('@cairnq/native').SubmitOptions} [options]
 */
export function submitTraced(client, name, payload, options = {}) {
  const described = { kind: SpanKind.PRODUCER, attributes: { 'messaging.system': 'cairnq' } };
  return tracer.startActiveSpan(`submit ${name}`, described, async (span) => {
    try {
      const metadata = { ...options.metadata };
      propagation.inject(context.active(), metadata);
      const task = await client.submit(name, payload, { ...options, metadata });
      span.setAttribute('messaging.message.id', task.id);
      return task;
    } catch (error) {
      span.recordException(/** @type {Error} */ (error));
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The trace context of the run that the current code belongs to. */
const currentRun = new AsyncLocalStorage();

/** Gives every task that a worker of this process runs a span. Call it once, before workers start. */
export function traceTasks() {
  const runs = new WeakMap();
  const begin = (message) => {
    let run = runs.get(message);
    if (run === undefined) {
      run = startRun(message);
      runs.set(message, run);
    }
    return run;
  };
  channel('cairnq:task:start').bindStore(currentRun, begin);
  // The store is bound for the first task of a batch only; this hears of the others too.
  subscribe('cairnq:task:start', begin);
  subscribe('cairnq:task:end', (/** @type {any} */ message) => {
    endRun(trace.getSpan(runs.get(message)), message);
  });
}

/** A handler inside its task's trace, for what it calls to join: HTTP clients, database drivers. */
export function inTrace(handler) {
  return (...args) => context.with(currentRun.getStore(), handler, undefined, ...args);
}

function startRun({ metadata, name, taskId, queue, attempt, startedAtMs }) {
  const submitter = propagation.extract(ROOT_CONTEXT, metadata);
  const attributes = {
    'messaging.system': 'cairnq',
    'messaging.destination.name': queue,
    'messaging.message.id': taskId,
    'cairnq.attempt': attempt,
  };
  const described = { kind: SpanKind.CONSUMER, startTime: startedAtMs, attributes };
  return trace.setSpan(submitter, tracer.startSpan(`run ${name}`, described, submitter));
}

function endRun(span, { outcome, error }) {
  span.setAttribute('cairnq.outcome', outcome);
  if (outcome === 'failed') {
    span.setStatus({ code: SpanStatusCode.ERROR, message: String(error.message) });
  }
  span.end();
}
