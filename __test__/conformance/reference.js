/**
 * The value with every reference replaced: `"$t.id"`, `"$rows.0.id"`, and `{"$sum": [...]}` over numbers.
 * @param {unknown} value
 * @param {Map<string, unknown>} saved
 */
export function resolve(value, saved) {
  if (typeof value === 'string')
    return value.startsWith('$') ? lookUp(value.slice(1), saved) : value;
  if (Array.isArray(value)) return value.map((item) => resolve(item, saved));
  if (value === null || typeof value !== 'object') return value;
  if (Object.hasOwn(value, '$sum')) {
    return resolve(value.$sum, saved).reduce((total, number) => total + number, 0);
  }
  // fromEntries defines properties, so a key called __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolve(item, saved)]),
  );
}

function lookUp(reference, saved) {
  const [name, ...path] = reference.split('.');
  if (!saved.has(name)) throw new Error(`nothing was saved as ${name}`);
  let found = saved.get(name);
  for (const key of path) {
    if (!Object.hasOwn(found, key)) throw new Error(`$${reference} does not exist`);
    found = found[key];
  }
  return found;
}
