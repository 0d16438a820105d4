/** Everything `exports` offers can be had both ways, and is the same. */
const assert = require('node:assert/strict');
const manifest = require('@cairnq/native/package.json');

async function main() {
  for (const subpath of Object.keys(manifest.exports)) {
    const name = `${manifest.name}${subpath.slice(1)}`;
    if (name.endsWith('.json') || name.includes('*')) continue;
    const required = require(name);
    const imported = await import(name);
    for (const key of Object.keys(imported)) {
      if (key !== 'module.exports') assert.equal(required[key], imported[key], `${name}: ${key}`);
    }
  }
}

main();
