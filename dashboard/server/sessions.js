/**
 * Who may enter when the dashboard has a token: whoever sends it as a bearer, and whoever exchanged it for a cookie. The
 * cookie is an expiry time sealed with the token, so that nothing is kept and every process that knows the token
 * accepts it; changing the token ends every session.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readCookie, writeCookie } from './cookies.js';

/** How long a login lasts. */
const SESSION_MS = 12 * 3_600_000;

export class Sessions {
  #token;
  #cookie;

  /** @param {string} token */
  constructor(token) {
    this.#token = token;
    // Cookies know no ports: two dashboards on one host keep theirs apart by name.
    this.#cookie = `cairnq_session_${this.#seal('name').slice(0, 8)}`;
  }

  /** @param {Request} request */
  admits(request) {
    const bearer = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '');
    if (bearer) return this.knows(bearer[1]);
    const [expiry, seal] = (readCookie(request, this.#cookie) ?? '').split('.');
    if (!seal || !same(seal, this.#seal(`session ${expiry}`))) return false;
    return Number(expiry) > Date.now();
  }

  /** @param {unknown} token */
  knows(token) {
    return typeof token === 'string' && same(token, this.#token);
  }

  /** @param {{ path: string, secure: boolean }} where */
  begin(where) {
    const expiry = Date.now() + SESSION_MS;
    const value = `${expiry}.${this.#seal(`session ${expiry}`)}`;
    return writeCookie(this.#cookie, value, { ...where, maxAgeS: SESSION_MS / 1000 });
  }

  /** @param {{ path: string, secure: boolean }} where */
  end(where) {
    return writeCookie(this.#cookie, '', { ...where, maxAgeS: 0 });
  }

  /** @param {string} text */
  #seal(text) {
    return createHmac('sha256', this.#token).update(`cairnq dashboard ${text}`).digest('hex');
  }
}

/**
 * Compares in a time that says nothing about where the difference is, nor about the length.
 *
 * @param {string} a
 * @param {string} b
 */
function same(a, b) {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left, right);
}
