import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { Peer } from '../process/peer.js';
import { until } from './events.js';
import { cairnq, onBackend, onEveryBackend, setStage } from './stage.js';

const VALUES = `CairnQ Worker TaskContext TaskStore SQLiteStore PostgresStore QueueDepthGate
  RetentionSweeper defineTask STATUSES isTerminal isTerminalStatus cancelRequested isQueued isRunning
  isSucceeded isFailed isCanceled CairnQError AlreadyExists QueueFull TaskTimeout TaskFailed TaskCanceled
  TaskError LostLease EventLoopBlocked ProtocolVersionMismatch SerializationError retryDelayMs
  DEFAULT_RETRY_BACKOFF_MS DEFAULT_RETRY_BACKOFF_MAX_MS`.split(/\s+/);

const TYPES = `CallOptions ClientOptions SubmitOptions BackpressureOptions QueueDepthLimit
  RetentionOptions BatchHandler Handler TypedHandler WorkerOptions TaskContextOptions TaskDef ListInput
  PurgeInput SubmitInput Conflict Task TaskStatus FailReason ErrorPhase`.split(/\s+/);

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

describe('what is exported', () => {
  it('1.1 exactly the values of the contract', () => {
    expect(Object.keys(cairnq).sort()).toEqual([...VALUES].sort());
  });

  it('1.1 the constants hold the documented values', () => {
    expect(cairnq.STATUSES).toEqual(['queued', 'running', 'succeeded', 'failed', 'canceled']);
    expect(cairnq.DEFAULT_RETRY_BACKOFF_MS).toBe(1000);
    expect(cairnq.DEFAULT_RETRY_BACKOFF_MAX_MS).toBe(30_000);
  });

  it('1.1 the predicates read a task', () => {
    const truths = {
      queued: ['isQueued'],
      running: ['isRunning'],
      succeeded: ['isSucceeded', 'isTerminal'],
      failed: ['isFailed', 'isTerminal'],
      canceled: ['isCanceled', 'isTerminal'],
    };
    const predicates = 'isQueued isRunning isSucceeded isFailed isCanceled isTerminal'.split(' ');
    for (const [status, names] of Object.entries(truths)) {
      const task = { status, cancel_requested_at_ms: null };
      const holding = predicates.filter((name) => cairnq[name](task) === true);
      expect(holding.sort(), status).toEqual([...names].sort());
      expect(cairnq.isTerminalStatus(status)).toBe(names.includes('isTerminal'));
    }
    expect(cairnq.cancelRequested({ status: 'running', cancel_requested_at_ms: 5 })).toBe(true);
    expect(cairnq.cancelRequested({ status: 'running', cancel_requested_at_ms: null })).toBe(false);
  });

  it('1.1 defineTask makes a definition that carries the name', () => {
    expect(cairnq.defineTask('summary.create').name).toBe('summary.create');
  });

  it('1.2 every type of the contract is declared', () => {
    const file = path('../../index.d.ts');
    const program = ts.createProgram([file], { module: ts.ModuleKind.NodeNext, strict: true });
    const checker = program.getTypeChecker();
    const source = program.getSourceFile(file);
    const names = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source))
      .map((symbol) => symbol.name);
    expect(names).toEqual(expect.arrayContaining(TYPES));
    expect(names).toEqual(expect.arrayContaining(VALUES));
  }, 30_000);
});

describe('import and require', () => {
  it('1.3 require() and import yield the same classes', async () => {
    const peer = new Peer(process.execPath, [path('../process/requires.cjs')]);
    const told = await peer.event('required');
    expect(told.names.filter((name) => name !== 'default').sort()).toEqual([...VALUES].sort());
    expect(told.same).toEqual(told.names);
    expect(told.instance).toBe(true);
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
  });

  it('1.3 engines names the Node versions that can require ESM', () => {
    const { engines, type } = JSON.parse(readFileSync(path('../../package.json'), 'utf8'));
    expect(type).toBe('module');
    expect(engines.node).toMatch(/20\.19/);
    expect(engines.node).toMatch(/22\.12/);
  });

  it('1.4 importing changes nothing in the process and does not keep it alive', async () => {
    const peer = Peer.node('imports.js');
    const { before, after, names } = await peer.event('imported');
    expect(names.sort()).toEqual([...VALUES].sort());
    expect(after).toEqual(before);
    expect(await peer.exitWithin(5000)).toEqual({ code: 0, signal: null });
    expect(peer.stderr).toBe('');
  });
});

onBackend('sqlite', '1.4 imported', (backend) => {
  it('1.4 an unrelated unhandled rejection still ends the process as Node does', async () => {
    const stage = await setStage(backend);
    const peer = stage.peer('unrelated.js');
    await peer.event('submitted');
    expect(await peer.exitWithin(5000)).toEqual({ code: 1, signal: null });
    expect(peer.stderr).toContain('a mistake of the application');
  });
});

onEveryBackend('1.5 values of the cairnq package', (backend) => {
  class ForeignTaskError extends Error {
    name = 'TaskError';
    envelope() {
      return {
        type: 'Quota',
        code: 'over_quota',
        message: 'too many',
        retryable: false,
        details: { left: 0 },
      };
    }
  }

  it('1.5 a TaskDef is any object with a string name', async () => {
    const stage = await setStage(backend);
    const foreign = { name: 'foreign.definition', made: 'elsewhere' };
    const worker = stage.worker();
    worker.task(foreign, (_ctx, payload) => payload.n + 1);
    stage.start(worker);
    expect(await stage.client().call(foreign, { n: 1 })).toBe(2);
  });

  it('1.5 a TaskError of another package is honoured when thrown and when passed', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    stage.run({
      throws: () => {
        throw new ForeignTaskError('ignored: the envelope counts');
      },
      passes: (ctx) => ctx.fail(new ForeignTaskError('ignored')),
    });
    for (const name of ['throws', 'passes']) {
      const submitted = await client.submit(name);
      const task = await client.wait(submitted.id);
      expect(task.status, name).toBe('failed');
      expect(task.attempt, name).toBe(1);
      expect(task.error, name).toEqual(new ForeignTaskError().envelope());
    }
  });

  it('1.5 a LostLease of another package is recognised by its name', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const attempts = [];
    stage.run(
      {
        loses: (ctx) => {
          attempts.push(ctx.attempt);
          if (ctx.attempt > 1) return 'second';
          throw Object.assign(new Error('gone'), { name: 'LostLease', taskId: ctx.taskId });
        },
      },
      { leaseMs: 1500 },
    );
    const submitted = await client.submit('loses');
    await until(() => attempts.length === 1);
    // Nothing is recorded for the attempt: the task stays leased until the lease itself ends.
    expect(await client.get(submitted.id)).toMatchObject({ status: 'running', error: null });
    const task = await client.wait(submitted.id);
    expect(task).toMatchObject({ status: 'succeeded', attempt: 2, result: 'second', error: null });
  });
});
