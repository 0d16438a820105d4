/** What an operator's tool asks and does. */
import {
  CairnQ,
  cancelRequested,
  isCanceled,
  isFailed,
  isQueued,
  isRunning,
  isSucceeded,
  isTerminal,
  isTerminalStatus,
  type ListInput,
  RetentionSweeper,
  STATUSES,
  type Task,
  type TaskStatus,
} from '@cairnq/native';

const DAY_MS = 86_400_000;

export async function main(argv: string[]) {
  const [command, argument = ''] = argv;
  const client = CairnQ.sqlite(new URL('file:///var/lib/jobs/queue.db'), { busyTimeoutMs: 10_000 });
  try {
    switch (command) {
      case 'stats':
        for (const [queue, counts] of Object.entries(await client.stats())) {
          console.log(queue, ...STATUSES.map((status) => `${status}=${counts[status]}`));
        }
        break;
      case 'list':
        for (const task of await client.list(filterFrom(argument))) console.log(line(task));
        break;
      case 'retry': {
        const again = await client.retry(argument, { resetAttempt: true });
        console.log(again === null ? 'not found, or not finished' : line(again));
        break;
      }
      case 'cancel':
        console.log((await client.cancel(argument))?.cancel_requested_at_ms ?? 'done');
        break;
      case 'purge': {
        const purged = await client.purge({ olderThanMs: 7 * DAY_MS, limit: 1000 });
        console.log(`${purged.length} purged`);
        break;
      }
      case 'sweep':
        await new RetentionSweeper(client.store, {
          olderThanMs: { succeeded: DAY_MS, canceled: DAY_MS, failed: 30 * DAY_MS },
        }).sweep();
    }
  } finally {
    await client.close();
  }
}

function filterFrom(argument: string): ListInput {
  const wanted = STATUSES.find((status) => status === argument);
  return wanted === undefined ? { name: argument, limit: 50 } : { status: wanted, offset: 0 };
}

function line(task: Task): string {
  const end = task.completed_at_ms ?? task.updated_at_ms;
  const columns = [
    task.id,
    task.queue,
    task.name,
    mark(task),
    `${task.attempt}/${task.max_attempts}`,
  ];
  if (isFailed(task)) columns.push(task.error?.message ?? '');
  if (isTerminal(task)) columns.push(`${end - task.created_at_ms} ms`);
  return columns.join('\t');
}

function mark(task: Task): string {
  if (isQueued(task)) return task.run_at_ms > Date.now() ? 'later' : 'queued';
  if (isRunning(task)) return cancelRequested(task) ? 'stopping' : (task.worker_id ?? 'running');
  if (isSucceeded(task)) return 'ok';
  if (isCanceled(task)) return 'canceled';
  return 'failed';
}

export function finished(statuses: TaskStatus[]): boolean {
  return statuses.every((status) => isTerminalStatus(status));
}
