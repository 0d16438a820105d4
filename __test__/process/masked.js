/** Writes a task under a umask of its own and keeps the database open until told to close it. */
import { config, listen, tell } from './lines.js';
import { openClient } from './opened.js';

process.umask(config.umask);
const client = openClient();
await client.submit('x');
listen(async () => {
  await client.close();
  process.exit(0);
});
tell('written');
