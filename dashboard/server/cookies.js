/**
 * @param {Request} request
 * @param {string} name
 * @returns {string | null}
 */
export function readCookie(request, name) {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/**
 * A cookie that scripts cannot read and that no other site makes the browser send.
 *
 * @param {string} name
 * @param {string} value
 * @param {{ path: string, secure: boolean, maxAgeS?: number }} options without an age it lasts as long as the browser
 */
export function writeCookie(name, value, { path, secure, maxAgeS }) {
  const parts = [`${name}=${value}`, `Path=${path}`, 'HttpOnly', 'SameSite=Strict'];
  if (maxAgeS !== undefined) parts.push(`Max-Age=${maxAgeS}`);
  if (secure) parts.push('Secure');
  return parts.join('; ');
}
