/** Asks for tasks to be cancelled, one per command. */
import { listen, tell } from './lines.js';
import { openClient } from './opened.js';

const client = openClient();
await client.connect();
listen(({ taskId }) => client.cancel(taskId));
tell('ready');
