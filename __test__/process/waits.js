/** Waits for a task that another process finishes; nothing else keeps this process alive. */
import { config, tell } from './lines.js';
import { openClient } from './opened.js';

const client = openClient();
await client.connect();
const waiting = client.wait(config.taskId, { timeoutMs: 20_000 });
tell('waiting');
const task = await waiting;
tell('waited', { status: task.status });
await client.close();
