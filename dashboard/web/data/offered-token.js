/**
 * The token of a link, taken from the address's fragment, which never reaches a server or its log. It does not stay in
 * the address, whether or not it is needed.
 *
 * @returns {string | null}
 */
export function takeOfferedToken() {
  const { hash, pathname, search } = window.location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token !== null) window.history.replaceState(null, '', pathname + search);
  return token || null;
}
