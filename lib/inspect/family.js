/**
 * Everything about one task: its keys, and the tasks that share its root.
 *
 * @typedef {import('../store.js').TaskStore} TaskStore
 * @typedef {import('../../index.js').Task} Task
 */
import { ask } from './ask.js';
import { GATHERED } from './pages.js';

const MAX_KEYS = 100;
const MAX_FAMILY = 1_000;
const MAX_CHILDREN = 200;

/**
 * @param {TaskStore} store
 * @param {string | { key: string }} reference
 */
export async function taskAndFamily(store, reference) {
  const task =
    typeof reference === 'string'
      ? await store.get(reference)
      : await store.getByKey(reference.key);
  if (task === null) return null;
  const rootId = task.root_id ?? task.id;
  const [keys, members, offspring, parent, root] = await Promise.all([
    ask(store, 'keys', [task.id, MAX_KEYS]),
    ask(store, 'family', [rootId, MAX_FAMILY + 1]),
    ask(store, 'gather', [MAX_CHILDREN + 1, null, GATHERED], {
      by: 'root',
      filter: { rootId, parentId: task.id },
    }),
    relative(store, task.parent_id, task),
    relative(store, rootId, task),
  ]);
  const family = members.rows.slice(0, MAX_FAMILY);
  return {
    nowMs: members.now_ms,
    task,
    keys: keys.rows.map(({ key }) => key),
    parent,
    root,
    family,
    familyCapped: members.rows.length > MAX_FAMILY,
    children: offspring.rows.slice(0, MAX_CHILDREN).reverse(),
    childrenCapped: offspring.rows.length > MAX_CHILDREN || members.rows.length > GATHERED,
  };
}

/**
 * @param {TaskStore} store
 * @param {string | null} id
 * @param {Task} task
 */
async function relative(store, id, task) {
  const found = id === null || id === task.id ? null : await store.get(id);
  if (id === task.id) return light(task);
  return found === null ? null : light(found);
}

/** @param {Task} task */
function light({ payload: _payload, result: _result, metadata: _metadata, ...rest }) {
  return rest;
}
