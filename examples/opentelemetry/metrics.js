/** What `worker.stats()` counts, through OpenTelemetry's meter: read when the exporter asks. */
import { metrics } from '@opentelemetry/api';

/** Observes a worker for as long as the process lives. */
export function measure(worker) {
  const meter = metrics.getMeter('@cairnq/native');
  const slots = meter.createObservableGauge('cairnq.worker.slots');
  const running = meter.createObservableGauge('cairnq.worker.running_calls');
  const bytes = meter.createObservableGauge('cairnq.worker.in_flight', { unit: 'By' });
  const settled = meter.createObservableCounter('cairnq.worker.settled');
  meter.addBatchObservableCallback(
    (result) => {
      const stats = worker.stats();
      result.observe(slots, stats.slots);
      result.observe(running, stats.runningCalls);
      result.observe(bytes, stats.bytes);
      for (const [name, counts] of Object.entries(stats.names)) {
        for (const outcome of ['succeeded', 'failed', 'retried', 'canceled']) {
          result.observe(settled, counts[outcome], { name, outcome });
        }
      }
    },
    [slots, running, bytes, settled],
  );
}
