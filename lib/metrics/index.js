/**
 * Metrics in the Prometheus text format, from workers of this process and from a database: as a
 * text, as a handler of an HTTP server, and as a file.
 *
 * @typedef {import('../../index.js').WorkerStats} WorkerStats
 * @typedef {import('../../metrics.js').MetricsSources} MetricsSources
 */
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { duration } from '../arguments.js';
import { quietly } from '../report.js';
import { callAfter } from '../timers.js';
import { CONTENT_TYPE, Exposition } from './exposition.js';
import { writeStore } from './store-metrics.js';
import { writeWorkers } from './worker-metrics.js';

const FILE_INTERVAL_MS = 15_000;

/** @param {WorkerStats | readonly WorkerStats[]} stats */
export function prometheusText(stats) {
  const text = new Exposition();
  writeWorkers(text, [stats].flat());
  return text.toString();
}

/** @param {MetricsSources} sources */
export async function collectMetrics({ workers = [], inspector = null }) {
  const text = new Exposition();
  if (workers.length > 0) {
    writeWorkers(
      text,
      workers.map((worker) => worker.stats()),
    );
  }
  if (inspector !== null) writeStore(text, await inspector.overview());
  return text.toString();
}

/**
 * @param {MetricsSources} sources
 * @returns {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>}
 */
export function metricsHandler(sources) {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    try {
      const text = await collectMetrics(sources);
      response.writeHead(200, { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      // The reason may name hosts and files, and whoever scrapes need not know them.
      quietly(sources.onError)(error);
      response.writeHead(500, { 'content-type': 'text/plain' }).end('metrics are unavailable\n');
    }
  };
}

/**
 * Writes the file beside itself and renames it, so that no reader finds half of it.
 *
 * @param {string | URL} file
 * @param {MetricsSources & { intervalMs?: number | null }} options
 */
export function writeMetricsFile(file, { intervalMs, ...sources }) {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const interval = duration(intervalMs ?? FILE_INTERVAL_MS, 'intervalMs', { atLeast: 1 });
  const report = quietly(sources.onError);
  let stopped = false;
  let cancel = () => {};
  let writing = write();

  async function write() {
    try {
      const beside = `${path}.${process.pid}.tmp`;
      await writeFile(beside, await collectMetrics(sources));
      await rename(beside, path);
    } catch (error) {
      report(error);
    }
    if (stopped) return;
    const again = () => {
      writing = write();
    };
    cancel = callAfter(interval, again, { hold: false });
  }

  return {
    /** Writes no more; resolves when a write under way is done. */
    async stop() {
      stopped = true;
      cancel();
      await writing;
    },
  };
}
