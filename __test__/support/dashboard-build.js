import { buildStaleDashboard } from '../../scripts/dashboard.js';

/** The tests look at the front end that is published. */
export function setup() {
  buildStaleDashboard();
}
