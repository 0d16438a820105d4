/**
 * The dashboard for servers that speak node:http rather than Request and Response.
 *
 * @typedef {{ fetch(request: Request): Promise<Response>, readonly basePath: string }} Fetching
 * @typedef {import('node:http').IncomingMessage & { originalUrl?: string, body?: unknown }} Incoming
 * @typedef {import('node:http').ServerResponse} Outgoing
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i;

/**
 * For node:http and for Express, mounted at the dashboard's basePath.
 *
 * @param {Fetching} dashboard
 * @returns {(incoming: Incoming, outgoing: Outgoing) => Promise<void>}
 */
export function nodeHandler(dashboard) {
  return async (incoming, outgoing) => {
    await reply(await dashboard.fetch(toRequest(incoming)), incoming, outgoing);
  };
}

/**
 * A plugin for Fastify that answers everything under the dashboard's basePath.
 *
 * @param {Fetching} dashboard
 */
export function fastifyPlugin(dashboard) {
  const handle = nodeHandler(dashboard);
  const base = dashboard.basePath;
  /** @param {any} fastify */
  return async (fastify) => {
    const serve = async (/** @type {any} */ request, /** @type {any} */ reply) => {
      reply.hijack();
      // Fastify has read the body already.
      await handle(Object.assign(request.raw, { body: request.body }), reply.raw);
    };
    fastify.all(`${base}*`, serve);
    if (base !== '/') fastify.all(base.slice(0, -1), serve);
  };
}

/** @param {Incoming} incoming */
function toRequest(incoming) {
  const { method = 'GET', socket } = incoming;
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
  }
  const path = incoming.originalUrl ?? incoming.url ?? '/';
  const host = incoming.headers.host ?? 'localhost';
  // A Host that is none is judged by its header; for the URL any will do.
  const base = `${scheme}://${HOST.test(host) ? host : 'invalid'}`;
  const url = URL.canParse(base + path) ? base + path : base;
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers });
  return new Request(url, {
    method: allowed(method),
    headers,
    body: bodyOf(incoming),
    duplex: 'half',
  });
}

/** Some methods cannot be put into a Request; all that are not served are answered alike. @param {string} method */
function allowed(method) {
  return method === 'POST' ? method : 'PUT';
}

/** @param {Incoming} incoming */
function bodyOf(incoming) {
  // A body parser in front of us may have read it.
  if (incoming.body !== undefined && incoming.body !== null) {
    return typeof incoming.body === 'string' ? incoming.body : JSON.stringify(incoming.body);
  }
  return /** @type {ReadableStream} */ (Readable.toWeb(incoming));
}

/**
 * @param {Response} response
 * @param {Incoming} incoming
 * @param {Outgoing} outgoing
 */
async function reply(response, incoming, outgoing) {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') outgoing.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  if (!response.body || incoming.method === 'HEAD') {
    outgoing.end();
    return;
  }
  try {
    await pipeline(Readable.fromWeb(/** @type {any} */ (response.body)), outgoing);
  } catch {
    outgoing.destroy(); // the reader left
  }
}
