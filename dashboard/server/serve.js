/**
 * A server of its own for the dashboard. It answers this machine alone, unless it has a token.
 *
 * @typedef {import('../index.js').ServeOptions} ServeOptions
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { nodeHandler } from './adapters.js';
import { createDashboard } from './dashboard.js';

export const DEFAULT_PORT = 4983;
/** How often the history is continued while nobody looks. */
const BEAT_MS = 5_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** @param {ServeOptions} options */
export async function serveDashboard(options) {
  const { host = '127.0.0.1', port = DEFAULT_PORT, allowedHosts = [], ...rest } = options;
  const local = isLoopback(host);
  const token = rest.token;
  if (!local && token === undefined) {
    throw new Error(
      `the dashboard would be open to everybody who reaches ${host}: give it a token (--token, or CAIRNQ_DASHBOARD_TOKEN), or keep to 127.0.0.1`,
    );
  }
  const dashboard = createDashboard({
    ...rest,
    token,
    open: token === undefined,
    // Elsewhere the token protects; names cannot be known there, so they are checked when they are given.
    allowedHosts: local
      ? [...LOOPBACK, ...allowedHosts]
      : allowedHosts.length > 0
        ? [...LOOPBACK, host, ...allowedHosts]
        : undefined,
  });
  try {
    await dashboard.sample(); // a database that cannot be read is said now, not in the browser
  } catch (error) {
    await dashboard.close();
    throw error;
  }

  const server = createServer(nodeHandler(dashboard));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await dashboard.close();
    throw error;
  }
  const beat = setInterval(() => dashboard.sample().catch(rest.onError ?? (() => {})), BEAT_MS);
  const { port: bound } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://${reachable(host)}:${bound}${dashboard.basePath}`,
    async close() {
      clearInterval(beat);
      server.close();
      server.closeAllConnections();
      await dashboard.close();
    },
  };
}

/** @param {string} host */
function isLoopback(host) {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** An address to open, for one that means "all of them". @param {string} host */
function reachable(host) {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
