/**
 * The OpenTelemetry SDK with an exporter that prints one line of JSON per span and per figure. In a
 * program of yours, export over OTLP instead: nothing else here changes.
 */
import { metrics } from '@opentelemetry/api';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

const DONE = { code: 0 };

const printedSpans = {
  export(spans, finished) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const parent = span.parentSpanContext?.spanId ?? null;
      const { name, attributes, status } = span;
      console.log(JSON.stringify({ span: name, traceId, spanId, parent, attributes, status }));
    }
    finished(DONE);
  },
  async shutdown() {},
};

const printedFigures = {
  export({ scopeMetrics }, finished) {
    for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
      for (const { attributes, value } of dataPoints) {
        console.log(JSON.stringify({ metric: descriptor.name, attributes, value }));
      }
    }
    finished(DONE);
  },
  async forceFlush() {},
  async shutdown() {},
};

const tracing = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(printedSpans)],
});
// Brings the W3C propagator with it.
tracing.register();

const reader = new PeriodicExportingMetricReader({ exporter: printedFigures });
const measuring = new MeterProvider({ readers: [reader] });
metrics.setGlobalMeterProvider(measuring);

/** Exports what is left. */
export async function flush() {
  await tracing.shutdown();
  await measuring.shutdown();
}
