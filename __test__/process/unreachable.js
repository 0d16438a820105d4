/** Tries to use a database that cannot be reached, and tells how that went. */
import { tell } from './lines.js';
import { openClient, openWorker } from './opened.js';

const worker = openWorker({ onError: ({ message }) => tell('error', { message }) });
try {
  await worker.run();
} catch ({ message }) {
  tell('error', { message });
}
const client = openClient();
try {
  await client.submit('x');
} catch ({ message }) {
  tell('failed', { message });
}
await client.close();
await worker.close();
