import { shards } from './words.js';

const wanted = {
  'file.index': { status: 'succeeded', attempt: 1 },
  'file.digest': { status: 'succeeded', attempt: 1 },
  'index.build': { status: 'succeeded', attempt: 1, count: 1 },
  'shard.write': { status: 'succeeded', attempt: 1, count: shards.length },
  'feed.refresh': { status: 'succeeded', attempt: 2, count: 1 },
  'file.import': { status: 'failed', attempt: 1, count: 1, code: 'file_missing' },
  'folder.watch': { status: 'canceled', attempt: 1, count: 1 },
};

/**
 * Everything that did not end as it should, in words; an empty list is success.
 * @param {import('../index.js').Task[]} tasks
 * @param {{ files: number, producerCode: number | string, worker: { code: number | string, seen?: any } }} run
 */
export function judge(tasks, { files, producerCode, worker }) {
  const complaints = [];
  if (producerCode !== 0) complaints.push(`the producer ended with ${producerCode}`);
  if (worker.code !== 0) complaints.push(`the worker ended with ${worker.code}`);
  if (worker.seen?.diskPeak > 2) complaints.push(`${worker.seen.diskPeak} handlers had the disk`);
  if (worker.seen?.largestBatch > 32) complaints.push(`a batch of ${worker.seen.largestBatch}`);

  for (const [name, { status, attempt, count = files, code }] of Object.entries(wanted)) {
    const named = tasks.filter((task) => task.name === name);
    if (named.length !== count)
      complaints.push(`${named.length} ${name} tasks instead of ${count}`);
    for (const task of named) {
      const right =
        task.status === status && task.attempt === attempt && (!code || task.error?.code === code);
      if (!right) complaints.push(describe(task));
    }
  }
  return [...complaints, ...orphans(tasks)];
}

/** The shards have to be children of the one build. */
function orphans(tasks) {
  const build = tasks.find((task) => task.name === 'index.build');
  return tasks
    .filter((task) => task.name === 'shard.write' && task.parent_id !== build?.id)
    .map((task) => `${task.id} is not a child of the build`);
}

function describe({ id, name, status, attempt, error }) {
  return `${name} (${id}) ${status} on attempt ${attempt}${error ? `: ${error.message}` : ''}`;
}
