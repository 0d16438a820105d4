/** A client with retention on, and nothing else to do. */
import { tell } from './lines.js';
import { openClient } from './opened.js';

const client = openClient({ retention: { olderThanMs: 1000, intervalMs: 20 } });
await client.submit('kept');
tell('submitted');
