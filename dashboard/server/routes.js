/**
 * The paths under BASE/api/, each with what may be asked of it.
 */
import { json, Refusal } from './answers.js';
import { csrfPair } from './guard.js';

/** Bytes of an action's body. */
const BODY_MAX = 64 * 1024;

/**
 * @typedef {object} Visit one request, as far as it got
 * @property {Request} request
 * @property {URL} url
 * @property {boolean} admitted
 * @property {boolean} readOnly
 * @property {{ path: string, secure: boolean }} where for cookies
 */

/**
 * @param {object} parts
 * @param {import('./questions.js').Questions} parts.questions
 * @param {import('./actions.js').Actions} parts.actions
 * @param {import('./sessions.js').Sessions | null} parts.sessions
 * @param {() => Promise<{ title: string, backend: string }>} parts.about
 */
export function routes({ questions, actions, sessions, about }) {
  /** Open to everybody: what the page must know before it can ask for a token. @type {Table} */
  const open = {
    'GET session': async ({ request, admitted, readOnly, where }) => {
      const { csrf, cookie } = csrfPair(request, where);
      const known = admitted ? { ...(await about()), readOnly, canLogOut: sessions !== null } : {};
      return json(
        { admitted, csrf, asksToken: sessions !== null, ...known },
        { cookies: [cookie] },
      );
    },
    'POST login': async ({ request, where }) => {
      const { token } = await bodyOf(request);
      if (!sessions?.knows(token)) throw new Refusal(401, 'wrong_token', 'that is not the token');
      return json({}, { cookies: [sessions.begin(where)] });
    },
    'POST logout': ({ where }) => json({}, { cookies: sessions ? [sessions.end(where)] : [] }),
  };
  /** @type {Table} */
  const reads = {
    'GET overview': async ({ url }) => json(await questions.overview(url.searchParams)),
    'GET names': async ({ url }) => json(await questions.names(url.searchParams)),
    'GET tasks': async ({ url }) => json(await questions.tasks(url.searchParams)),
    'GET task': async ({ url }) => json(await questions.task(url.searchParams.get('id') ?? '')),
    'GET workers': async () => json(await questions.workers()),
  };
  /** @type {Table} */
  const writes = {
    'POST retry': async ({ request }) => json(await actions.retry(await bodyOf(request))),
    'POST cancel': async ({ request }) => json(await actions.cancel(await bodyOf(request))),
    'POST purge': async ({ request }) => json(await actions.purge(await bodyOf(request))),
  };

  /**
   * @param {string} name
   * @param {Visit} visit
   */
  return async (name, visit) => {
    const route = `${visit.request.method} ${name}`;
    if (Object.hasOwn(open, route)) return await open[route](visit);
    if (!visit.admitted) {
      throw new Refusal(401, 'not_admitted', 'this dashboard needs its token');
    }
    if (Object.hasOwn(reads, route)) return await reads[route](visit);
    if (!Object.hasOwn(writes, route)) throw new Refusal(404, 'not_found', 'no such path');
    if (visit.readOnly) throw new Refusal(403, 'read_only', 'this dashboard is read-only');
    return await writes[route](visit);
  };
}

/** @typedef {Record<string, (visit: Visit) => Response | Promise<Response>>} Table */

/**
 * @param {Request} request
 * @returns {Promise<Record<string, any>>}
 */
async function bodyOf(request) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_MAX) throw new Refusal(413, 'too_large', 'the request is too large');
  }
  try {
    const body = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // said below
  }
  throw new Refusal(400, 'bad_request', 'the body must be a JSON object');
}
