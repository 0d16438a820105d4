import { describe, expect, it } from 'vitest';
import { deferred, until } from '../spec/events.js';
import { indexes, ledger, level, migrations } from '../spec/schema.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { pythonSdk, startPython } from './python.js';

const { python, missing } = await pythonSdk('0.6.0');
if (missing) console.warn(missing);

describe.skipIf(missing)(
  `beside the Python SDK 0.6.0${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    onEveryBackend('interop', (backend) => {
      const text = 'ünï\u2028code "quoted"';

      it('Python creates the database and submits; ours works it', async () => {
        const stage = await setStage(backend);
        const creator = startPython(stage, python, {
          act: 'submit',
          tasks: [
            { name: 'double', payload: { n: 21, text }, priority: 2, key: 'k', metadata: { m: 1 } },
            { name: 'fails', payload: {}, max_attempts: 1 },
            { name: 'later', payload: {}, run_at_delay_ms: 200 },
          ],
        });
        const { ids } = await creator.event('submitted');
        const seen = [];
        stage.run({
          double: (ctx, payload) => {
            seen.push([ctx.metadata, payload]);
            return payload.n * 2;
          },
          fails: () => {
            throw new Error('not in JavaScript');
          },
          later: () => 'later',
        });
        const client = stage.client();
        const tasks = await Promise.all(ids.map((id) => client.wait(id)));
        expect(tasks[0]).toMatchObject({
          status: 'succeeded',
          result: 42,
          attempt: 1,
          priority: 2,
        });
        expect(seen).toEqual([[{ m: 1 }, { n: 21, text }]]);
        expect(tasks[1]).toMatchObject({ status: 'failed', attempt: 1 });
        expect(tasks[2]).toMatchObject({ status: 'succeeded', result: 'later' });
        expect((await client.getByKey('k')).id).toBe(ids[0]);
        expect(await level(stage)).toBe(6);
        expect(await ledger(stage)).toEqual(migrations(stage, 6));
      });

      it('ours creates the database and submits; Python works it', async () => {
        const stage = await setStage(backend);
        const client = stage.client();
        const echo = await client.submit('echo', { deep: [1, { text }] });
        const fails = await client.submit('fails', null, { maxAttempts: 1 });
        const worker = startPython(stage, python, { act: 'work' });
        await worker.event('running');
        expect(await client.wait(echo.id)).toMatchObject({
          status: 'succeeded',
          result: { deep: [1, { text }] },
          message: 'half',
          progress: 1,
        });
        const failed = await client.wait(fails.id);
        expect(failed).toMatchObject({ status: 'failed', attempt: 1 });
        expect(failed.error).toMatchObject({ type: 'ValueError', message: 'not in Python either' });
        const options = { waitTimeoutMs: 15_000 };
        expect(await client.call('double', { n: 4, text }, options)).toEqual({ doubled: 8, text });
        expect(await client.call('retried', {}, options)).toBe(2);
      });

      it('Python calls our worker and we call its, on one database at the same time', async () => {
        const stage = await setStage(backend);
        const client = stage.client();
        await client.connect();
        stage.run({ ours: (_ctx, payload) => ({ ours: payload.n }) });
        const worker = startPython(stage, python, { act: 'work' });
        await worker.event('running');
        const tasks = Array.from({ length: 10 }, (_, n) => ({ name: 'ours', payload: { n } }));
        const caller = startPython(stage, python, { act: 'call', tasks });
        const calls = tasks.map(({ payload }) => client.call('double', payload));
        expect(await Promise.all(calls)).toEqual(
          tasks.map(({ payload: { n } }) => ({ doubled: n * 2, text: null })),
        );
        await until(() => caller.told('result').length === 10, { timeoutMs: 20_000 });
        expect(caller.told('result').map(({ result }) => result)).toEqual(
          tasks.map(({ payload: { n } }) => ({ ours: n })),
        );
      });

      it('our cancel reaches a Python handler, and a killed Python worker hands its task to ours', async () => {
        const stage = await setStage(backend);
        const client = stage.client();
        await client.connect();
        const worker = startPython(stage, python, { act: 'work', options: { lease_ms: 1000 } });
        await worker.event('running');
        const canceled = await client.submit('long');
        await worker.event('start', { where: ({ taskId }) => taskId === canceled.id });
        await client.cancel(canceled.id);
        expect((await client.wait(canceled.id)).status).toBe('canceled');

        const killed = await client.submit('long');
        await worker.event('start', { where: ({ taskId }) => taskId === killed.id });
        worker.kill('SIGKILL');
        const attempt = deferred();
        stage.run({ long: (ctx) => attempt.resolve(ctx.attempt) });
        expect(await attempt.promise).toBe(2);
        expect((await client.wait(killed.id)).status).toBe('succeeded');
      });

      it('Python keeps the indexes it knows after we were here', async () => {
        const stage = await setStage(backend);
        const creator = startPython(stage, python, { act: 'submit', tasks: [{ name: 'first' }] });
        await creator.event('submitted');
        const before = await indexes(stage, 'cairnq_tasks');
        await stage.client().submit('second');
        expect(await indexes(stage, 'cairnq_tasks')).toEqual(before);
      });
    });
  },
);
