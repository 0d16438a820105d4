/** A program that merely uses the package, then makes a mistake of its own. */

import { tell } from './lines.js';
import { openClient } from './opened.js';

const client = openClient();
await client.submit('unrelated');
tell('submitted');
Promise.reject(new Error('a mistake of the application'));
