import { createDashboard } from '@cairnq/dashboard';

/**
 * A dashboard on a world's database, asked without a network in between.
 *
 * @param {import('../../support/world.js').World} world
 * @param {object} [options]
 */
export function ask(world, options = { open: true }) {
  const dashboard = createDashboard({ store: world.store, ...options });
  const base = `http://queue.test${dashboard.basePath}`;

  /** @param {string} path @param {RequestInit & { headers?: Record<string, string> }} [init] */
  const get = (path, init = {}) => {
    const headers = { host: 'queue.test', ...init.headers };
    return dashboard.fetch(new Request(base + path, { ...init, headers }));
  };
  /** What the page knows after its first question. */
  const session = async (headers = {}) => {
    const response = await get('api/session', { headers });
    const cookie = response.headers.getSetCookie()[0].split(';')[0];
    return { ...(await response.json()), cookie };
  };
  /** An action as the page sends it, but for what `change` says. */
  const post = async (path, body, change = {}) => {
    const { csrf, cookie } = await session(change.admitted);
    const headers = {
      origin: 'http://queue.test',
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-cairnq-csrf': csrf,
      ...change.admitted,
      cookie: [cookie, change.admitted?.cookie].filter(Boolean).join('; '),
      ...change.headers,
    };
    for (const name of change.without ?? []) delete headers[name];
    return await get(path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const read = async (path) => await (await get(path)).json();
  return { dashboard, get, post, read, session };
}
