/** The short programs that the model's long runs have come down to, each a fault that was there once. */
import { it } from 'vitest';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { playWithWorkers } from './workers.js';

const submit = (name, fields) => ({
  op: 'submit',
  name,
  maxAttempts: 1,
  priority: 0,
  runAtDelayMs: 0,
  key: null,
  conflict: 'reuse',
  ...fields,
});

const found = {
  'what is held ready behind a call that runs out of time is started in its place': [
    submit('timesOut', { priority: 1 }),
    submit('returns'),
    submit('waits'),
    { op: 'start', slot: 0, concurrency: 1, prefetch: 4 },
    { op: 'wait', ms: 300 },
  ],
};

onEveryBackend('programs the model has found', (backend) => {
  it.each(Object.entries(found))(
    '8 %s',
    async (_title, program) => {
      const { world } = await setStage(backend);
      // It rejects unless every task comes to an end that it may have.
      await playWithWorkers({ world }, program);
    },
    60_000,
  );
});
