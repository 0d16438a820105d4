// Everything a fresh clone needs to test itself: dependencies, the addon, the Rust tests, the JavaScript
// tests. With arguments it runs only the JavaScript tests they name.

import { buildAddon } from './addon.js';
import { installDependencies } from './bootstrap.js';
import { installExamples } from './examples.js';
import { javascriptTests } from './javascript-tests.js';
import { rustTests } from './rust-tests.js';

const only = process.argv.slice(2);

installDependencies();
installExamples();
if (buildAddon({ release: false }) !== 0) {
  report({ passed: 0, failures: ['the addon does not build'], unstable: [] });
} else {
  const rust = only.length > 0 ? { passed: 0, failures: [] } : await rustTests();
  const javascript = javascriptTests(only);
  report({
    passed: rust.passed + javascript.passed,
    failures: [...rust.failures, ...javascript.failures],
    unstable: javascript.unstable,
  });
}

/** What somebody has to look at is repeated where they look: at the end. */
function report({ passed, failures, unstable }) {
  for (const text of unstable) console.log(`UNSTABLE: ${indented(text)}`);
  for (const text of failures) console.log(`FAILED: ${indented(text)}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

function indented(text) {
  return text.replaceAll('\n', '\n  ');
}
