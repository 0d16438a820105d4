/**
 * The database behind a dashboard, opened with the first question; a failing opening is tried again with the next one.
 *
 * @typedef {import('../index.js').DashboardOptions} DashboardOptions
 */
import { CairnQ } from '@cairnq/native';
import { Inspector } from '@cairnq/native/inspect';

export class Database {
  #options;
  /** @type {Promise<Inspector> | null} */
  #inspector = null;

  /** @param {DashboardOptions} options */
  constructor(options) {
    const { target, store, inspector } = options;
    if ([target, store, inspector].filter((given) => given != null).length !== 1) {
      throw new Error('createDashboard needs one of target (a file or a DSN), store and inspector');
    }
    this.#options = options;
  }

  /** @returns {Promise<Inspector>} */
  inspector() {
    this.#inspector ??= this.#open().catch((error) => {
      this.#inspector = null;
      throw error;
    });
    return this.#inspector;
  }

  /** Acts on the inspector's own store, so that nothing is opened, created or migrated for an action. */
  async client() {
    return new CairnQ((await this.inspector()).store);
  }

  async close() {
    // What was handed in is its owner's to close.
    if (this.#options.inspector) return;
    const inspector = await this.#inspector?.catch(() => null);
    await inspector?.close();
  }

  async #open() {
    const { target, store, inspector, schema } = this.#options;
    if (inspector) return inspector;
    if (store) return new Inspector(store);
    return await Inspector.open(String(target), schema === undefined ? {} : { schema });
  }
}
