/**
 * A worker that only counts: which attempts of which tasks it ran. They are written to `config.runs` when
 * the test says stop, one line each, and none is lost however often the database goes away.
 */
import { writeFileSync } from 'node:fs';
import { config, listen, tell } from './lines.js';
import { openStore, openWorker } from './opened.js';

const runs = [];
const errors = new Map();
const store = openStore(config.storeOptions);
const onError = ({ code, message }) => {
  const cause = code ?? message;
  errors.set(cause, (errors.get(cause) ?? 0) + 1);
};
const worker = openWorker({ ...config.options, onError }, store);
worker.task('counted', (ctx, payload) => {
  runs.push(`${ctx.taskId} ${ctx.attempt}`);
  return payload;
});
listen(() => worker.stop());
await store.connect();
tell('ready', { workerId: worker.id });
await worker.serve();
await store.close();
writeFileSync(config.runs, runs.join('\n'));
tell('over', { runs: runs.length, errors: Object.fromEntries(errors) });
process.exit(0);
