/** What a worker tells about itself: its figures, its channels, and metrics of both. */
import { channel, subscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import {
  type AttemptCounts,
  type Histogram,
  type InFlightCounts,
  type TaskEndMessage,
  type TaskStartMessage,
  Worker,
  type WorkerStats,
} from '@cairnq/native';
import {
  collectMetrics,
  type MetricsFile,
  type MetricsSources,
  metricsHandler,
  prometheusText,
  writeMetricsFile,
} from '@cairnq/native/metrics';

const worker = Worker.sqlite('jobs.db', { resources: { gpu: 2 } });

const busy = ({ ready, running, settling }: InFlightCounts) => ready + running + settling;
const ended = (counts: AttemptCounts) => counts.succeeded + counts.failed + counts.canceled;
const meanMs = ({ count, sumMs }: Histogram) => (count === 0 ? 0 : sumMs / count);

export function summary(stats: WorkerStats = worker.stats()): string[] {
  const names = Object.entries(stats.names).map(
    ([name, counts]) => `${name}: ${busy(counts.inFlight)} in flight, ${ended(counts)} ended`,
  );
  const gpu = stats.resources.gpu?.inUse ?? 0;
  const runs = `${stats.runningCalls}/${stats.slots} calls, ${meanMs(stats.runs)} ms, gpu ${gpu}`;
  return [stats.workerId, runs, ...names];
}

export function trace(spans: Map<string, number>) {
  channel('cairnq:task:start').subscribe((message) => {
    const { taskId, startedAtMs } = message as TaskStartMessage;
    spans.set(taskId, startedAtMs);
  });
  subscribe('cairnq:task:end', (message) => {
    const { taskId, name, outcome, durationMs, error } = message as TaskEndMessage;
    spans.delete(taskId);
    console.log(name, outcome, durationMs?.toFixed(1), error?.code);
  });
}

export async function expose(port: number): Promise<MetricsFile> {
  const sources: MetricsSources = { workers: [worker], onError: (error) => console.error(error) };
  createServer(metricsHandler(sources)).listen(port);
  const text = prometheusText(worker.stats()) + (await collectMetrics(sources));
  console.log(text.length);
  return writeMetricsFile('/run/metrics/jobs.prom', { ...sources, intervalMs: 15_000 });
}
