/**
 * Tells the options of `X.sqlite(path, {...})` and `X.postgres(dsn, {...})` apart: those named here
 * are the store's, the rest belong to the client or worker made around it.
 */
const STORE_OPTIONS = ['busyTimeoutMs', 'max', 'migrate', 'pooler', 'schema'];

/**
 * @template {Record<string, any>} O
 * @param {O | undefined} options
 * @returns {{ store: Record<string, any>, rest: O }}
 */
export function splitStoreOptions(options) {
  /** @type {Record<string, any>} */
  const store = {};
  /** @type {Record<string, any>} */
  const rest = {};
  for (const [name, value] of Object.entries(options ?? {})) {
    (STORE_OPTIONS.includes(name) ? store : rest)[name] = value;
  }
  return { store, rest: /** @type {O} */ (rest) };
}
