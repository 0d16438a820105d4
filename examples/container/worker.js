/**
 * A worker that can be stopped at any time, as containers are. On SIGTERM (docker stop, a rolling update, a spot
 * instance being taken) it claims nothing more, hands back what it has not started, and gives what runs twenty seconds,
 * fewer than the orchestrator waits before SIGKILL (docker 10 s unless told otherwise, Kubernetes 30 s). What is still
 * not done then is abandoned: its signal aborts, and the task goes back to the queue at once for another worker. Even
 * SIGKILL loses nothing; it only makes the others wait until the lease ends.
 *
 * docker build -f examples/container/Dockerfile, docker run --stop-timeout 30
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from '@cairnq/native';

const graceMs = Number(process.env.GRACE_MS ?? 20_000);
const log = (event, more) => console.log(JSON.stringify({ event, ...more }));

const worker = Worker.sqlite(process.env.DATABASE ?? '/data/tasks.db', {
  concurrency: Number(process.env.CONCURRENCY ?? 4),
  onError: (error, { phase, taskId }) => log('error', { phase, taskId, message: error.message }),
});

worker.task('film.encode', async (ctx, { seconds }) => {
  log('started', { taskId: ctx.taskId, attempt: ctx.attempt });
  // Whatever waits takes the signal: an abandoned attempt must not go on beside the next one.
  await delay(seconds * 1000, undefined, { signal: ctx.signal });
  log('finished', { taskId: ctx.taskId });
  return { encoded: seconds };
});

process.once('SIGTERM', () => {
  log('stopping', { graceMs });
  worker.stop({ graceMs });
});
log('serving', { workerId: worker.id });
await worker.serve();
log('ended');
