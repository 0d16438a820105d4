/** Takes the database to the latest level, as an operator would. */
import { tell } from './lines.js';
import { openStore } from './opened.js';

const store = openStore({ migrate: 'latest' });
await store.connect();
await store.close();
tell('migrated');
