/** Requires the package, then imports it, and tells whether both are the same. */
const required = require('@cairnq/native');

import('@cairnq/native').then((imported) => {
  const names = Object.keys(imported).filter((name) => name !== 'module.exports');
  const same = names.filter((name) => required[name] === imported[name]);
  const error = new required.LostLease('task_x');
  console.log(
    JSON.stringify({
      event: 'required',
      names,
      same,
      instance: error instanceof imported.CairnQError,
    }),
  );
});
