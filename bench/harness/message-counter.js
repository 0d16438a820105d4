import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;

/**
 * Stands between a client and a Postgres server and counts what the client asks for: statements (Query and Execute
 * messages) and round trips (Query and Sync: what the client waits for an answer to).
 */
export class MessageCounter {
  statements = 0;
  roundTrips = 0;
  #server;
  #sockets = new Set();

  /** @param {string} dsn of the server to pass everything on to */
  static async before(dsn) {
    const counter = new MessageCounter();
    const url = new URL(dsn);
    const { hostname: host, port } = url;
    const address = { host, port: Number(port || 5432), noDelay: true };
    counter.#server = createServer((client) => counter.#join(client, address));
    counter.#server.listen(0, '127.0.0.1');
    await once(counter.#server, 'listening');
    url.host = `127.0.0.1:${counter.#server.address().port}`;
    counter.dsn = url.href;
    return counter;
  }

  #join(client, address) {
    const server = connect(address);
    client.setNoDelay(true);
    const messages = new FrontendMessages((type) => this.#count(type));
    client.on('data', (chunk) => messages.read(chunk));
    client.pipe(server);
    server.pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }

  #count(type) {
    if (type === 'Q' || type === 'E') this.statements += 1;
    if (type === 'Q' || type === 'S') this.roundTrips += 1;
  }

  async close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}

/** Finds the messages in what a client sends: the first ones carry no type, the others one byte of it. */
class FrontendMessages {
  #rest = Buffer.alloc(0);
  #started = false;
  #found;

  constructor(found) {
    this.#found = found;
  }

  read(chunk) {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#next());
  }

  #next() {
    const head = this.#started ? 5 : 8;
    if (this.#rest.length < head) return false;
    const length = this.#started ? this.#rest.readInt32BE(1) + 1 : this.#rest.readInt32BE(0);
    if (this.#rest.length < length) return false;
    if (this.#started) {
      this.#found(String.fromCharCode(this.#rest[0]));
    } else {
      const code = this.#rest.readInt32BE(4);
      this.#started = code !== SSL_REQUEST && code !== GSS_REQUEST;
    }
    this.#rest = this.#rest.subarray(length);
    return true;
  }
}
