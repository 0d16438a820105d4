/** Submits a task in a span of its own, and waits for it. */
import { CairnQ } from '@cairnq/native';
import { flush } from './setup.js';
import { submitTraced } from './tracing.js';

const client = CairnQ.sqlite(process.env.DATABASE ?? 'tasks.db');
const task = await submitTraced(client, 'greet', { name: 'Ada' });
const { result } = await client.wait(task.id);
console.log(JSON.stringify({ result }));
await client.close();
await flush();
