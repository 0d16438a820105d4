/**
 * The dashboard as a function from a Request to a Response. Adapters for other forms are in adapters.js.
 *
 * @typedef {import('../index.js').DashboardOptions} DashboardOptions
 */
import { Actions } from './actions.js';
import { answer, Refusal, refused } from './answers.js';
import { Assets } from './assets.js';
import { Database } from './database.js';
import { checkAction, checkHost, checkSite } from './guard.js';
import { checkedOptions } from './options.js';
import { Questions } from './questions.js';
import { routes } from './routes.js';
import { Sessions } from './sessions.js';

/** @param {DashboardOptions} given */
export function createDashboard(given) {
  const options = checkedOptions(given);
  const { basePath, title } = options;
  const assets = new Assets({ basePath, title });
  const database = new Database(given);
  const questions = new Questions(() => database.inspector(), options.redact);
  const sessions = options.token === null ? null : new Sessions(options.token);
  const call = routes({
    questions,
    actions: new Actions(() => database.client()),
    sessions,
    about: async () => ({ title, backend: (await database.inspector()).backend }),
  });

  /**
   * @param {Request} request
   * @returns {Promise<Response>}
   */
  async function respond(request) {
    checkHost(request, options.allowedHosts);
    const url = new URL(request.url);
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
      throw new Refusal(405, 'bad_method', 'GET, HEAD and POST are understood');
    }
    // Relative links need the slash.
    if (`${url.pathname}/` === basePath) {
      return answer(null, { status: 308, headers: { location: basePath + url.search } });
    }
    if (!url.pathname.startsWith(basePath)) throw new Refusal(404, 'not_found', 'no such path');
    const path = url.pathname.slice(basePath.length);
    if (path.startsWith('api/')) {
      checkSite(request);
      if (request.method === 'POST') checkAction(request, options.origin);
      return await call(path.slice(4), {
        request,
        url,
        admitted: await admits(request),
        readOnly: await isReadOnly(request),
        where: { path: basePath, secure: (options.origin ?? url.protocol).startsWith('https') },
      });
    }
    if (request.method === 'POST') throw new Refusal(405, 'bad_method', 'pages are read with GET');
    if (path.startsWith('assets/') || assets.has(path)) return await assets.file(request, path);
    return await assets.page(request);
  }

  /** @param {Request} request */
  async function admits(request) {
    if (sessions) return sessions.admits(request);
    return options.authorize ? (await options.authorize(request)) === true : true;
  }

  /** @param {Request} request */
  async function isReadOnly(request) {
    const { readOnly } = options;
    return typeof readOnly === 'boolean' ? readOnly : (await readOnly(request)) !== false;
  }

  return {
    basePath,
    /** @param {Request} request */
    fetch: async (request) => {
      try {
        return await respond(request);
      } catch (error) {
        if (error instanceof Refusal) return refused(error);
        options.onError(error);
        return refused(new Refusal(500, 'database', messageOf(error)));
      }
    },
    /** Adds to the history what happened since it was last looked at. */
    sample: async () => {
      await questions.sample();
    },
    close: () => database.close(),
  };
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
