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
  let response;
  try {
    response = await fetch(new URL(path, document.baseURI), {
      credentials: 'same-origin',
      ...options,
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(0, {
      code: 'unreachable',
      message: 'the dashboard’s server does not answer',
    });
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const error = new ApiError(response.status, body.error ?? {});
  if (error.code === 'not_admitted') for (const listener of refusedListeners) listener();
  throw error;
}
