/** Every command, in the order help shows them. */
import { cancel } from './commands/cancel.js';
import { dashboard } from './commands/dashboard.js';
import { doctor } from './commands/doctor.js';
import { ls } from './commands/ls.js';
import { migrate } from './commands/migrate.js';
import { purge } from './commands/purge.js';
import { retry } from './commands/retry.js';
import { show } from './commands/show.js';
import { stats } from './commands/stats.js';
import { submit } from './commands/submit.js';
import { top } from './commands/top.js';

export const COMMANDS = [
  stats,
  top,
  ls,
  show,
  submit,
  retry,
  cancel,
  purge,
  migrate,
  doctor,
  dashboard,
];
