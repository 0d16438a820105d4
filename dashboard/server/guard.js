/**
 * What a request must show before it is looked at: the right Host, and for anything that changes something, that the
 * dashboard's own page sent it.
 */
import { randomBytes } from 'node:crypto';
import { Refusal } from './answers.js';
import { readCookie, writeCookie } from './cookies.js';

/** The header that the page sends with every action. Another site cannot send it without asking, and is refused then. */
export const CSRF_HEADER = 'x-cairnq-csrf';
const CSRF_COOKIE = 'cairnq_csrf';
const CSRF_FORM = /^[0-9a-f]{32}$/;

/** @param {Request} request */
export function hostOf(request) {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase();
}

/**
 * A page of another site can let its own name resolve to this address (DNS rebinding) and is then of the "same origin";
 * the Host header still has its name.
 *
 * @param {Request} request
 * @param {readonly string[] | null} allowed names without a port; null lets every name in
 */
export function checkHost(request, allowed) {
  if (allowed === null) return;
  const name = hostOf(request).replace(/:\d+$/, '');
  if (allowed.includes(name)) return;
  throw new Refusal(
    403,
    'host_not_allowed',
    `this dashboard does not answer to the host name ${JSON.stringify(name)}; allow it with allowedHosts (--allow-host NAME)`,
  );
}

/**
 * Browsers say where a request comes from. Reads from elsewhere are refused as well, so that no other page can time or
 * embed them.
 *
 * @param {Request} request
 */
export function checkSite(request) {
  const site = request.headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return;
  throw new Refusal(403, 'cross_site', 'requests from other sites are refused');
}

/**
 * @param {Request} request
 * @param {string | null} origin the dashboard's public origin, when a proxy hides it from the request
 */
export function checkAction(request, origin) {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'not_json', 'actions take application/json');
  }
  const claimed = request.headers.get('origin');
  if (claimed !== null && !isOwn(claimed, request, origin)) {
    throw new Refusal(
      403,
      'cross_site',
      `actions from ${claimed} are refused; when that is where the dashboard is reached, set the option origin to it`,
    );
  }
  const cookie = readCookie(request, CSRF_COOKIE);
  const header = request.headers.get(CSRF_HEADER);
  if (cookie === null || !CSRF_FORM.test(cookie) || header !== cookie) {
    throw new Refusal(403, 'csrf', 'the page is out of date; load it again and repeat the action');
  }
}

/**
 * The value that actions must send back, and the cookie that has to agree with it.
 *
 * @param {Request} request
 * @param {{ path: string, secure: boolean }} where
 */
export function csrfPair(request, where) {
  const present = readCookie(request, CSRF_COOKIE);
  const csrf = present && CSRF_FORM.test(present) ? present : randomBytes(16).toString('hex');
  return { csrf, cookie: writeCookie(CSRF_COOKIE, csrf, where) };
}

/**
 * @param {string} claimed
 * @param {Request} request
 * @param {string | null} origin
 */
function isOwn(claimed, request, origin) {
  if (origin !== null) return claimed === origin;
  // Only the hosts are compared: a proxy that ends TLS makes https into http.
  return URL.canParse(claimed) && new URL(claimed).host === hostOf(request);
}
