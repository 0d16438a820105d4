/** A promise with its handles outside: Promise.withResolvers() came after the oldest Node we support. */
export function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
