/**
 * The server's answers, and the errors it gives.
 */
let csrf = '';
const refusedListeners = new Set();

export class ApiError extends Error {
  /** @param {number} status @param {{ code?: string, message?: string }} error */
  constructor(status, { code = 'unknown', message }) {
    super(message ?? `the server answered with status ${status}`);
    this.status = status;
    this.code = code;
  }
}

/** Told when the session has ended. */
export function onRefused(listener) {
  refusedListeners.add(listener);
  return () => refusedListeners.delete(listener);
}

/** Who we are, and the value that every action must carry. */
export async function loadSession() {
  const session = await read('session');
  csrf = session.csrf;
  return session;
}

/** @param {string} name @param {Record<string, unknown>} [params] @param {AbortSignal} [signal] */
export async function read(name, params = {}, signal) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
  return await request(`api/${name}${query && `?${query}`}`, { signal });
}

/** @param {string} name @param {object} [body] */
export async function act(name, body = {}) {
  return await request(`api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-cairnq-csrf': csrf },
    body: JSON.stringify(body),
  });
}

async function request(path, options) {
  const where = new URL(path, document.baseURI);
  const response = await orFailure(
    fetch(where, { credentials: 'same-origin', ...options }),
    'unreachable',
    'the dashboard’s server does not answer',
  );
  if (response.ok) {
    return await orFailure(
      response.json(),
      'broken',
      'the answer of the dashboard’s server broke off',
    );
  }
  // Whoever refuses may be a proxy that knows nothing of our errors.
  const body = await response.json().catch(() => ({}));
  const error = new ApiError(response.status, body.error ?? {});
  if (error.code === 'not_admitted') for (const listener of refusedListeners) listener();
  throw error;
}

/** What nobody waits for any more is no failure: an answer can be given up before and in the middle of its body. */
async function orFailure(promise, code, message) {
  try {
    return await promise;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, { code, message });
  }
}
