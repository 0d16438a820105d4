import * as call from './call.js';
import * as claim from './claim.js';
import * as drain from './drain.js';
import * as drainBatch from './drain-batch.js';
import * as drainPayload from './drain-payload.js';
import * as drainPrefetch from './drain-prefetch.js';
import * as due from './due.js';
import * as heartbeat from './heartbeat.js';
import * as idle from './idle.js';
import * as memory from './memory.js';
import * as processes from './processes.js';
import * as purge from './purge.js';
import * as resource from './resource.js';
import * as roundTrips from './round-trips.js';
import * as smooth from './smooth.js';
import * as submit from './submit.js';

/**
 * In the order they run. Each module says what it is called, on which backends it runs, and on which of them with --quick.
 */
export const scenarios = [
  drain,
  drainPrefetch,
  drainPayload,
  drainBatch,
  roundTrips,
  smooth,
  submit,
  call,
  due,
  resource,
  idle,
  claim,
  purge,
  heartbeat,
  processes,
  memory,
];
