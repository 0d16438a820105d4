/**
 * The options of createDashboard, checked and completed.
 *
 * @typedef {import('../index.js').DashboardOptions} DashboardOptions
 */

/** Shorter tokens could be guessed by trying. */
export const TOKEN_MIN_LENGTH = 16;

/** @param {DashboardOptions} options */
export function checkedOptions(options) {
  const { token = null, authorize = null, open = false, readOnly = false, redact = null } = options;
  const ways = [token !== null, authorize !== null, open].filter(Boolean).length;
  if (ways !== 1) {
    throw new Error(
      'createDashboard needs exactly one of token, authorize and open: true, which say who may enter; open: true is for a path that your own application guards',
    );
  }
  if (token !== null && (typeof token !== 'string' || token.length < TOKEN_MIN_LENGTH)) {
    throw new Error(`token must be a string of ${TOKEN_MIN_LENGTH} or more characters`);
  }
  requireFunction(authorize, 'authorize');
  requireFunction(redact, 'redact');
  if (typeof readOnly !== 'boolean') requireFunction(readOnly, 'readOnly');
  return {
    token,
    authorize,
    readOnly,
    redact,
    basePath: basePath(options.basePath ?? '/'),
    allowedHosts: options.allowedHosts?.map((host) => host.toLowerCase()) ?? null,
    origin: origin(options.origin ?? null),
    title: options.title ?? 'cairnq',
    onError: options.onError ?? (() => {}),
  };
}

/** @param {string} path */
function basePath(path) {
  if (typeof path !== 'string' || !/^\/[\w\-.~/]*$/.test(path) || path.includes('//')) {
    throw new Error(`basePath must be a path such as "/admin/queue", got ${JSON.stringify(path)}`);
  }
  return path.endsWith('/') ? path : `${path}/`;
}

/** @param {string | null} text */
function origin(text) {
  if (text === null) return null;
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error(`origin must be like "https://ops.example.org", got ${JSON.stringify(text)}`);
  }
  return text;
}

/**
 * @param {unknown} value
 * @param {string} name
 */
function requireFunction(value, name) {
  if (value !== null && typeof value !== 'function') throw new Error(`${name} must be a function`);
}
