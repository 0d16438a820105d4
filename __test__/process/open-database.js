/** Opens the store when told to, so that many processes can be made to do it at one moment. */
import { listen, tell } from './lines.js';
import { openClient } from './opened.js';

listen(async () => {
  try {
    const client = openClient();
    await client.connect();
    const task = await client.submit('opened');
    await client.close();
    tell('opened', { id: task.id });
  } catch (error) {
    tell('failed', { message: error.message, code: error.code });
  }
});
tell('ready');
