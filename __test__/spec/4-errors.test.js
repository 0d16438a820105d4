import { describe, expect, it } from 'vitest';
import { thrown } from './events.js';
import { cairnq } from './stage.js';

const envelope = {
  type: 'Boom',
  code: 'boom',
  message: 'it broke',
  retryable: true,
  details: { part: 'wing' },
};

describe('4 error classes', () => {
  const rows = [
    ['AlreadyExists', ['k'], { key: 'k' }, 'task with key k already exists'],
    [
      'QueueFull',
      ['mail', 10, 250],
      { queue: 'mail', maxDepth: 10, waitedMs: 250 },
      'queue mail still holds 10 or more queued tasks after 250ms; refusing to enqueue more',
    ],
    [
      'TaskTimeout',
      ['task_1', {}],
      { taskId: 'task_1', task: null, key: null },
      'task task_1 did not finish in time',
    ],
    [
      'TaskFailed',
      [envelope],
      { error: envelope, type: 'Boom', code: 'boom', retryable: true, details: { part: 'wing' } },
      'it broke',
    ],
    ['TaskCanceled', ['task_1'], { taskId: 'task_1' }, 'task task_1 was canceled'],
    ['LostLease', ['task_1'], { taskId: 'task_1' }, 'lost lease on task task_1'],
    [
      'TaskError',
      ['bad', { code: 'c', retryable: true, type: 'T', details: { n: 1 } }],
      { code: 'c', retryable: true, type: 'T', details: { n: 1 } },
      'bad',
    ],
    [
      'TaskError',
      ['bad'],
      { code: 'task_error', retryable: false, type: 'TaskError', details: {} },
      'bad',
    ],
  ];
  it.each(rows)(
    '4 %s(%j) has the fields and the message of the table',
    (name, args, fields, message) => {
      const error = new cairnq[name](...args);
      expect(error).toBeInstanceOf(cairnq[name]);
      expect(error).toBeInstanceOf(cairnq.CairnQError);
      expect(error).toBeInstanceOf(Error);
      expect(error.name).toBe(name);
      expect(error.message).toBe(message);
      for (const [field, value] of Object.entries(fields)) {
        expect(error[field], field).toEqual(value);
      }
    },
  );

  it('4 TaskFailed fills what an envelope lacks', () => {
    for (const missing of [{}, null, undefined]) {
      const error = new cairnq.TaskFailed(missing);
      expect(error.message).toBe('task failed');
      expect(error).toMatchObject({
        type: 'TaskError',
        code: 'task_error',
        retryable: false,
        details: {},
      });
    }
  });

  it('4 EventLoopBlocked says how late the beat was', () => {
    const error = new cairnq.EventLoopBlocked(5000, 700, 2000);
    expect(error).toMatchObject({ lateMs: 5000, intervalMs: 700, leaseMs: 2000 });
    expect(error.name).toBe('EventLoopBlocked');
    expect(error).toBeInstanceOf(cairnq.CairnQError);
    expect(error.message).toMatch(
      /^heartbeat beat was 5000ms late \(interval 700ms, lease 2000ms\): the event loop was blocked/,
    );
  });

  it('4 ProtocolVersionMismatch and SerializationError are CairnQErrors named after themselves', () => {
    for (const name of ['ProtocolVersionMismatch', 'SerializationError']) {
      expect(cairnq[name].prototype).toBeInstanceOf(cairnq.CairnQError);
      expect(new cairnq[name]('text').name).toBe(name);
    }
  });

  it('4.3 TaskError gives its envelope', () => {
    const error = new cairnq.TaskError('bad', { code: 'c', details: { n: 1 } });
    expect(error.envelope()).toEqual({
      type: 'TaskError',
      code: 'c',
      message: 'bad',
      retryable: false,
      details: { n: 1 },
    });
    expect(new cairnq.TaskError('bad').envelope().details).toEqual({});
  });
});

describe('4.2 bad arguments', () => {
  it('4.2 throw plain errors, not one of the classes above', () => {
    const store = new cairnq.SQLiteStore(':memory:');
    const worker = new cairnq.Worker(store, ['default']);
    const mistakes = [
      () => worker.task(() => {}),
      () => worker.task('x', { batch: 0 }, () => {}),
      () => new cairnq.Worker(store, ['default'], { maxRunMs: 0 }),
      () => new cairnq.QueueDepthGate(store, { maxQueueDepth: 0 }),
      () => new cairnq.RetentionSweeper(store, { olderThanMs: -1 }),
    ];
    for (const mistake of mistakes) {
      const error = thrown(mistake);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(cairnq.CairnQError);
      expect(error.constructor).toBe(Error);
    }
  });
});

describe('4.1 TaskTimeout', () => {
  const task = {
    id: 'task_1',
    name: 'mail.send',
    queue: 'mail',
    status: 'queued',
    attempt: 0,
    max_attempts: 3,
    run_at_ms: 0,
    cancel_requested_at_ms: null,
  };
  const message = (options, id = 'task_1') => new cairnq.TaskTimeout(id, options).message;

  it('4.1 without timeoutMs only the subject is named', () => {
    expect(message({ task })).toBe('task task_1 did not finish in time');
    expect(message({ key: 'k' }, 'k')).toBe('key k did not finish in time');
    expect(new cairnq.TaskTimeout('task_1').message).toBe('task task_1 did not finish in time');
  });

  const within = 'task task_1 did not finish within 50ms: ';
  it.each([
    ['no task', null, 'task not found — wrong database file, or already purged?'],
    [
      'never claimed',
      {},
      "never claimed by a worker — is a worker running with a handler for 'mail.send' on queue 'mail', against this same database?",
    ],
    ['queued again', { attempt: 2 }, 'still queued (attempt 2/3)'],
    [
      'asked to cancel',
      { status: 'running', attempt: 1, cancel_requested_at_ms: 5 },
      'cancel requested, waiting for the handler to observe it',
    ],
    ['running', { status: 'running', attempt: 1 }, 'still running (attempt 1/3)'],
  ])('4.1 %s', (_, change, detail) => {
    const given = change === null ? null : { ...task, ...change };
    expect(message({ timeoutMs: 50, task: given })).toBe(within + detail);
    expect(new cairnq.TaskTimeout('task_1', { timeoutMs: 50, task: given }).task).toEqual(given);
  });

  it('4.1 no task under a key', () => {
    const error = new cairnq.TaskTimeout('k', { timeoutMs: 50, key: 'k' });
    expect(error.message).toBe(
      'key k did not finish within 50ms: no task under this key — never submitted, or already purged?',
    );
    expect(error.key).toBe('k');
  });

  it.each([0, 2])('4.1 a delayed task of attempt %i says when it runs next', (attempt) => {
    const delayed = { ...task, attempt, run_at_ms: Date.now() + 5000 };
    const text = message({ timeoutMs: 50, task: delayed });
    const [, ms] = /: still queued \(attempt \d\/3\), next run in ~(\d+)ms$/.exec(text) ?? [];
    expect(text).toContain(`(attempt ${attempt}/3)`);
    expect(Number(ms)).toBeGreaterThan(4000);
    expect(Number(ms)).toBeLessThanOrEqual(5000);
  });
});
