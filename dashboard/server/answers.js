/**
 * Every response the dashboard gives, with the headers that all of them carry.
 */

/**
 * Nothing inline, nothing from another host, no framing. Styles set from script go through the CSSOM, which a policy
 * does not concern, so that charts need no exception.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const SECURITY_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
};

/** What a route throws to answer with a status and a message of its own. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} code for programs
   * @param {string} message for people: what is wrong and what to do
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {string | Uint8Array<ArrayBuffer> | null} body
 * @param {{ status?: number, headers?: Record<string, string>, cookies?: string[] }} [options]
 */
export function answer(body, { status = 200, headers = {}, cookies = [] } = {}) {
  const all = new Headers({ 'cache-control': 'no-store', ...SECURITY_HEADERS, ...headers });
  for (const cookie of cookies) all.append('set-cookie', cookie);
  return new Response(body, { status, headers: all });
}

/**
 * @param {unknown} value
 * @param {{ status?: number, headers?: Record<string, string>, cookies?: string[] }} [options]
 */
export function json(value, options = {}) {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...options.headers };
  return answer(JSON.stringify(value), { ...options, headers });
}

/** @param {Refusal} refusal */
export function refused({ status, code, message }) {
  return json({ error: { code, message } }, { status });
}
