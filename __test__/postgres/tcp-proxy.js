import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A network between the product and a server, with the faults of one. Every connection through it is a
 * pair of sockets; what a fault does to it depends on what the fault is, not on what travels.
 */
export class TcpProxy {
  #server;
  #target;
  #links = new Set();
  #mode = 'open';
  #delayMs = 0;
  /** Connections accepted so far. */
  accepted = 0;
  /** Bytes from clients to the server so far. */
  sent = 0;

  /** @param {{ host?: string, port: number }} target */
  static async to(target) {
    const proxy = new TcpProxy();
    proxy.#target = { host: '127.0.0.1', ...target };
    await proxy.#listen(0);
    return proxy;
  }

  /** The same database as `dsn`, by way of the proxy. */
  through(dsn) {
    const url = new URL(dsn);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Connections that are up. */
  get links() {
    return this.#links.size;
  }

  /** Nothing passes, and nothing is lost: thaw() delivers it. New connections wait as well. */
  freeze() {
    this.#mode = 'frozen';
    for (const link of this.#links) link.pause();
  }

  thaw() {
    this.#mode = 'open';
    for (const link of this.#links) link.resume();
  }

  /** Every byte is swallowed without a sign, on the connections that are up and on new ones. */
  swallow() {
    this.#mode = 'swallowing';
    for (const link of this.#links) link.swallow();
  }

  /** Swallows on the connections that are up (or those `which` says); new ones are as usual. */
  swallowPresent(which = () => true) {
    for (const link of this.#links) if (which(link)) link.swallow();
  }

  /** New connections pass again. Swallowed ones never recover, as behind a router that has forgotten them. */
  heal() {
    this.#mode = 'open';
  }

  /** Ends every connection; until restore() nobody answers at the port. */
  async cut() {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.drop();
    await closed;
  }

  restore() {
    this.#mode = 'open';
    return this.#listen(this.port);
  }

  /** Ends every connection (or those `which` says) with a reset; new ones are welcome. */
  drop(which = () => true) {
    for (const link of this.#links) if (which(link)) link.end();
  }

  /** Each chunk, in both directions, arrives this much later. */
  delay(ms) {
    this.#delayMs = ms;
  }

  async close() {
    if (this.#server.listening) await this.cut();
  }

  async #listen(port) {
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
  }

  #accept(client) {
    this.accepted += 1;
    const link = new Link(client, connect(this.#target), () => this.#delayMs);
    link.onSent = (bytes) => {
      this.sent += bytes;
    };
    this.#links.add(link);
    link.onEnd = () => this.#links.delete(link);
    if (this.#mode === 'frozen') link.pause();
    else if (this.#mode === 'swallowing') link.swallow();
    else link.resume();
  }
}

/** One connection through the proxy. `said` is the start of what the client sent: it tells who it is. */
class Link {
  said = '';
  onEnd = () => {};
  onSent = () => {};
  #swallowing = false;

  constructor(client, server, delayMs) {
    this.client = client;
    this.server = server;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (from === client) this.#heard(chunk);
        if (this.#swallowing) return;
        const wait = delayMs();
        if (wait === 0) to.write(chunk);
        else setTimeout(() => to.destroyed || to.write(chunk), wait);
      });
      from.on('error', () => {});
      // A dead peer behind a black hole is not seen to die.
      from.on('close', () => this.#swallowing || this.end());
    }
    client.on('close', () => this.onEnd());
  }

  #heard(chunk) {
    this.onSent(chunk.length);
    if (this.said.length < 100_000) this.said += chunk.toString('latin1');
  }

  pause() {
    this.client.pause();
    this.server.pause();
  }

  resume() {
    this.client.resume();
    this.server.resume();
  }

  swallow() {
    this.#swallowing = true;
    this.resume();
  }

  end() {
    this.#swallowing = false;
    this.client.resetAndDestroy();
    this.server.resetAndDestroy();
  }
}
