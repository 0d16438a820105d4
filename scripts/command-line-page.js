// Writes docs/command-line.md from what the commands say of themselves; a test holds the page against them.

import { writeFileSync } from 'node:fs';
import { COMMANDS } from '../lib/cli/commands.js';
import { commandHelp, overviewHelp } from '../lib/cli/help.js';

const block = (text) => `\`\`\`text\n${text}\n\`\`\`\n`;

const NOTES = {
  stats: `The columns are what is due, what is queued for later, what runs, what ended how, and for how long the task that
waits longest has been due. Counts stop at 10,000 each, and before when there are several queues, so that the command
answers at once however many tasks there are.`,
  top: `Rates are taken over \`--window\`: tasks submitted, by the time in their ids, and tasks ended. A worker is seen by the
tasks it holds; one that is idle leaves no trace in the database.`,
  ls: `Newest first is by id, which begins with the time a task was made. With \`--json\` the answer is
\`{ nowMs, tasks, next }\`; \`next\` goes into \`--before\`, and is null on the last page.`,
  doctor: `Nothing is changed. With \`--json\` each finding has an \`id\`, a \`severity\`, a \`title\`, an \`explanation\`, a \`remedy\` and
mostly \`facts\`:

| id | on | what it means |
|---|---|---|
| \`schema\` | both | the level, and what is known of who brought it there (a note) |
| \`schema-old\`, \`schema-newer\` | both | below what workers need; above what this version knows |
| \`ledger-gap\`, \`ledger-missing\` | both | the ledger of migrations does not fit the level, or is not there |
| \`index-missing\`, \`index-invalid\` | both | an index of the level is not there; Postgres does not use it |
| \`statistics-missing\` | both | the planner knows nothing of the table |
| \`expired-leases\` | both | leases that ended, and no worker at all takes the tasks back |
| \`unclaimed\` | both | names whose due tasks nobody seems to claim |
| \`poison\` | both | tasks that came back because a lease ended |
| \`lease-failures\` | both | tasks out of attempts because of that |
| \`backlog\` | both | more submitted than ended, and the depth rose between two looks |
| \`stalled\` | both | long-running tasks without progress |
| \`cancel-unheard\` | both | running tasks that were asked to stop long ago |
| \`permissions\` | both | files or tables this user may not write, or everybody may |
| \`log-size\` | SQLite | a large write-ahead log, and the process that keeps it (Linux) |
| \`network-file-system\` | SQLite | the file lies on another host's disk |
| \`journal-mode\`, \`free-space\` | SQLite | not in WAL mode; much free space in the file (a note) |
| \`trigger\`, \`listener\`, \`pooler\` | Postgres | announcements are not sent; do not arrive; are given up for a pooler (a note) |
| \`autovacuum\`, \`dead-rows\` | Postgres | vacuum is off; does not keep up |
| \`long-transactions\` | Postgres | what holds vacuum back |
| \`connections\`, \`read-only\` | Postgres | nearly none left; the server takes no writes |
| \`clock\` | Postgres | the server's clock and this host's differ |

To hear whether announcements arrive, doctor sends one on this installation's channel for a queue that nobody has.`,
  dashboard: `The package is \`@cairnq/dashboard\`. Its own options go behind the target.`,
};

const page = [
  `# The command line

\`npx @cairnq/native COMMAND TARGET\`, or \`cairnq COMMAND TARGET\` where the package is installed. For the times when someone
asks what is stuck, and why. The help below is what each command prints; \`node scripts/command-line-page.js\` writes
this page.
`,
  block(overviewHelp(COMMANDS)),
  `- **Reading never changes anything.** No command but \`migrate\` makes or migrates a database; a missing file is an error.
- **Nothing is deleted or cancelled unasked.** \`cancel\`, \`purge\` and \`migrate\` ask on a terminal, and do nothing without
  \`--yes\` where there is none.
- **Scripts** use \`--json\`, which every command has, and the exit codes. An error is then
  \`{ "error": { "message", "code", "exitCode" } }\` on the standard output.
- **Passwords** are better left to \`PGPASSWORD\` or a password file, because other users of a host can see arguments; no
  output repeats one.
- **Texts of tasks** are printed with their control characters shown, so that none can steer the terminal.

The same questions can be asked from a program: \`import { Inspector } from '@cairnq/native/inspect'\`.
`,
  ...COMMANDS.map((command) =>
    [
      `## ${command.name}\n`,
      block(commandHelp(command)),
      NOTES[command.name] ? `${NOTES[command.name]}\n` : '',
    ]
      .filter(Boolean)
      .join('\n'),
  ),
].join('\n');

writeFileSync(new URL('../docs/command-line.md', import.meta.url), page);
