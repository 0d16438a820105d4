/**
 * `cairnq-dashboard TARGET`, which `npx @cairnq/native dashboard TARGET` calls as well.
 */
import { parseArgs } from 'node:util';
import { DEFAULT_PORT, serveDashboard } from './serve.js';

const HELP = `Usage: cairnq-dashboard TARGET [options]

Serves a dashboard for the queue in TARGET, a SQLite file or a Postgres DSN.

  --port PORT        default ${DEFAULT_PORT}; 0 takes a free one
  --host HOST        default 127.0.0.1; another address needs a token
  --token TOKEN      asked for in the browser; better in CAIRNQ_DASHBOARD_TOKEN, where no process list shows it
  --allow-host NAME  a further host name to answer to (repeatable)
  --origin ORIGIN    how the dashboard is reached through a proxy, such as https://ops.example.org
  --base PATH        the path it is served under, default /
  --schema NAME      Postgres: the schema that holds the tables
  --title TEXT       shown on the page
  --read-only        no retry, cancel or purge
  --help

Example: cairnq-dashboard tasks.db --read-only
`;

/**
 * @param {string[]} args
 * @returns {Promise<{ code: number, close?: () => Promise<void> }>} the exit code, and when it serves, how to end it
 */
export async function run(
  args,
  { env = process.env, out = process.stdout, err = process.stderr } = {},
) {
  const parsed = parse(args);
  if ('wrong' in parsed) {
    err.write(`${parsed.wrong}\n\n${HELP}`);
    return { code: 2 };
  }
  const { values, target } = parsed;
  if (values.help) {
    out.write(HELP);
    return { code: 0 };
  }
  try {
    const { url, close } = await serveDashboard({
      target,
      port: values.port === undefined ? DEFAULT_PORT : port(values.port),
      host: values.host,
      token: values.token ?? env.CAIRNQ_DASHBOARD_TOKEN,
      allowedHosts: values['allow-host'],
      origin: values.origin,
      basePath: values.base,
      schema: values.schema,
      title: values.title,
      readOnly: values['read-only'] ?? false,
      onError: (/** @type {any} */ error) => err.write(`${error?.message ?? error}\n`),
    });
    out.write(`The dashboard is at ${url}\n`);
    return { code: 0, close };
  } catch (error) {
    err.write(`${error instanceof Error ? error.message : error}\n`);
    return { code: 1 };
  }
}

/** @param {string[]} args */
function parse(args) {
  const text = { type: /** @type {const} */ ('string') };
  const flag = { type: /** @type {const} */ ('boolean') };
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        port: text,
        host: text,
        token: text,
        'allow-host': { ...text, multiple: true },
        origin: text,
        base: text,
        schema: text,
        title: text,
        'read-only': flag,
        help: { ...flag, short: 'h' },
      },
    });
    if (!values.help && positionals.length !== 1) {
      return { wrong: 'exactly one TARGET is needed: a SQLite file or a Postgres DSN' };
    }
    return { values, target: positionals[0] };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

/** @param {string} text */
function port(text) {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`--port must be a number from 0 to 65535, got ${JSON.stringify(text)}`);
}
