import { describe, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { databaseFile, runExample, startExample } from './example.js';

const told = (lines) => lines.filter((line) => typeof line === 'object' && line !== null);

describe('examples/opentelemetry [sqlite]', () => {
  it('joins the spans of submitter, run and the tasks a run submits, across processes', async () => {
    const env = { DATABASE: databaseFile() };
    const worker = startExample('opentelemetry/worker.js', { env });
    const produced = told(await runExample('opentelemetry/producer.js', { env }));
    expect(produced).toContainEqual({ result: 'Hello, Ada' });
    await until(() => told(worker.lines).some(({ span }) => span === 'run log'));
    worker.kill('SIGTERM');
    expect((await worker.exitWithin(20_000)).code, worker.report()).toBe(0);

    const spans = Object.fromEntries(
      [...produced, ...told(worker.lines)]
        .filter(({ span }) => span !== undefined)
        .map((line) => [line.span, line]),
    );
    const ids = Object.values(spans).map(({ traceId }) => traceId);
    expect(new Set(ids).size).toBe(1);
    expect(spans['submit greet'].parent).toBeNull();
    expect(spans['run greet'].parent).toBe(spans['submit greet'].spanId);
    expect(spans['submit log'].parent).toBe(spans['run greet'].spanId);
    expect(spans['run log'].parent).toBe(spans['submit log'].spanId);
    expect(spans['run greet'].attributes).toMatchObject({
      'cairnq.attempt': 1,
      'cairnq.outcome': 'completed',
      'messaging.message.id': spans['submit greet'].attributes['messaging.message.id'],
    });

    const figures = told(worker.lines).filter(({ metric }) => metric === 'cairnq.worker.settled');
    expect(figures).toContainEqual({
      metric: 'cairnq.worker.settled',
      attributes: { name: 'greet', outcome: 'succeeded' },
      value: 1,
    });
  });
});
