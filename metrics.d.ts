/**
 * Metrics in the Prometheus text format. docs/metrics.md lists every metric with its type and unit.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Worker, WorkerStats } from './index.js';
import type { Inspector } from './inspect.js';

/** Where metrics come from: at least one of the two. */
export interface MetricsSources {
  /** Workers of this process; their figures are added up. @default none */
  workers?: readonly Pick<Worker, 'stats'>[];
  /** Looks at the database: depth of its queues, age of what waits. @default none */
  inspector?: Pick<Inspector, 'overview'> | null;
  /** Told why metrics could not be had or written. What it throws is swallowed. */
  onError?: ((error: unknown) => unknown) | null;
}

/** The metrics of workers, from what `worker.stats()` gave. */
export declare function prometheusText(stats: WorkerStats | readonly WorkerStats[]): string;

/**
 * The metrics of everything given.
 *
 * @throws the inspector's error when the database cannot be asked
 */
export declare function collectMetrics(sources: MetricsSources): Promise<string>;

/**
 * A handler for `node:http`, Express, or whatever calls `(request, response)`: answers GET and HEAD
 * with the metrics, other methods with 405, and 500 when the database cannot be asked.
 */
export declare function metricsHandler(
  sources: MetricsSources,
): (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A file of metrics that is kept current. */
export interface MetricsFile {
  /** Writes no more; resolves when a write under way is done. The file stays. */
  stop(): Promise<void>;
}

/**
 * Keeps a file of metrics current, for node_exporter's textfile collector and its like. Each write
 * replaces the whole file at once. It never keeps the process alive.
 *
 * @param options intervalMs: between two writes; >= 1. @default 15000
 * @throws Error when intervalMs is out of range
 */
export declare function writeMetricsFile(
  file: string | URL,
  options: MetricsSources & { intervalMs?: number | null },
): MetricsFile;
