import { act } from './actor.js';

/**
 * Drains a copy of a filling with our worker.
 * @param {object} params of actors/drain
 */
export async function oursDrain(backend, filling, params) {
  return await backend.with(filling, (target) =>
    act('actors/drain', { store: backend.store(target), ...params }),
  );
}

/** Tasks per second of the bare Rust loop draining a copy of the same filling. */
export async function ceilingDrain(bench, backend, filling, params) {
  return await backend.with(filling, (target) =>
    bench.tools.ceiling({ backend: backend.name, work: 'drain', target, ...params }),
  );
}

/** Tasks per second of the bare Rust loop inserting. */
export async function ceilingInsert(bench, backend, params) {
  return await backend.with({}, (target) =>
    bench.tools.ceiling({ backend: backend.name, work: 'insert', target, ...params }),
  );
}

/**
 * Runs a peer on a database of its own, which it fills itself.
 * @param {string} name of a module in peers/
 */
export async function peer(backend, name, params) {
  return await inEmpty(backend, (target) => {
    const where = backend.name === 'sqlite' ? { path: target } : { dsn: target };
    return act(`peers/${name}`, { ...where, ...params });
  });
}

export async function python(bench, backend, params) {
  return await inEmpty(backend, (target) =>
    bench.tools.python({ backend: backend.name, target, payloadBytes: 20, ...params }),
  );
}

async function inEmpty(backend, measure) {
  const target = await backend.empty();
  try {
    return await measure(target);
  } finally {
    await backend.remove(target);
  }
}
