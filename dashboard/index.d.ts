// biome-ignore-all lint/suspicious/noExplicitAny: what programs store is theirs to type, and Fastify's types are its own
/**
 * A dashboard for a task queue of @cairnq/native: see what waits, runs and fails, and retry, cancel and purge.
 *
 * @packageDocumentation
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TaskStore } from '@cairnq/native';
import type { Inspector } from '@cairnq/native/inspect';

/** The parts of a task that its programs fill, and that may hold what not everybody should see. */
export type RedactedField = 'payload' | 'result' | 'error' | 'metadata' | 'message';

/**
 * Gets each such part before it leaves the server, and gives what is shown in its place. Never called with null. When it
 * throws, the part is not shown.
 *
 * @example
 * const redact = (value, { field, name }) =>
 *   field === 'payload' && name === 'mail.send' ? { ...value, to: '[hidden]' } : value;
 */
export type Redact = (
  value: any,
  about: { field: RedactedField; id: string; name: string; queue: string },
) => unknown;

/** Where the tasks are: exactly one of the three. */
export interface Source {
  /** A SQLite file that exists, or a Postgres DSN; opened with the first request, closed by `close()`. */
  target?: string;
  /** Postgres: the schema that holds the tables. @default that of the connection's search_path */
  schema?: string;
  /** A store of yours, which stays yours to close. */
  store?: TaskStore;
  /** An inspector of yours, which stays yours to close. */
  inspector?: Inspector;
}

export interface CommonOptions extends Source {
  /** The path it is mounted under. @default '/' */
  basePath?: string;
  /**
   * Without retry, cancel and purge; as a function, decided for each request, and anything but `false` means read-only.
   *
   * @default false
   */
  readOnly?: boolean | ((request: Request) => boolean | Promise<boolean>);
  redact?: Redact;
  /**
   * The public origin, such as `https://ops.example.org`, when a proxy changes the Host header: actions must come from it.
   *
   * @default the host that the request names
   */
  origin?: string;
  /** Shown at the top. @default 'cairnq' */
  title?: string;
  /** Gets what failed in answering a request, such as a database error. @default nothing happens */
  onError?: (error: unknown) => void;
}

/** Exactly one of `token`, `authorize` and `open` says who may enter. */
export interface DashboardOptions extends CommonOptions {
  /** Asked for in the browser, or sent as `Authorization: Bearer`; 16 characters or more. */
  token?: string;
  /** Decides for each request; only `true` lets it in. */
  authorize?: (request: Request) => boolean | Promise<boolean>;
  /** Lets everybody in: for a path that your own application guards. */
  open?: boolean;
  /** Host names (without a port) to answer to. @default any */
  allowedHosts?: readonly string[];
}

export interface Dashboard {
  /** The path it is mounted under, with a slash at its end. */
  readonly basePath: string;
  /** Answers a request; never rejects. It may be passed on without its object. */
  fetch(request: Request): Promise<Response>;
  /** Continues the charts' history; each request for the overview does so too. */
  sample(): Promise<void>;
  /** Closes what it opened. */
  close(): Promise<void>;
}

/** @throws Error that says which option is wrong */
export declare function createDashboard(options: DashboardOptions): Dashboard;

/**
 * The dashboard for node:http and Express, at its `basePath`.
 *
 * @example
 * app.use('/admin/queue', nodeHandler(createDashboard({ store, basePath: '/admin/queue', authorize })));
 */
export declare function nodeHandler(
  dashboard: Dashboard,
): (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The dashboard as a Fastify plugin, at its `basePath`.
 *
 * @example
 * await fastify.register(fastifyPlugin(createDashboard({ store, basePath: '/queue', authorize })));
 */
export declare function fastifyPlugin(dashboard: Dashboard): (fastify: any) => Promise<void>;

export interface ServeOptions extends CommonOptions {
  /** 0 takes a free one. @default 4983 */
  port?: number;
  /** Where it listens; another address than this machine's own needs a token. @default '127.0.0.1' */
  host?: string;
  /** @default none: everybody on this machine may enter */
  token?: string;
  /** Further host names to answer to. @default localhost, 127.0.0.1 and [::1]; any, when it listens elsewhere */
  allowedHosts?: readonly string[];
}

/**
 * Serves the dashboard from a server of its own.
 *
 * @throws Error when it would be open to other machines without a token, or the database cannot be read
 */
export declare function serveDashboard(
  options: ServeOptions,
): Promise<{ url: string; close(): Promise<void> }>;

/**
 * The command line `cairnq-dashboard`.
 *
 * @returns the exit code, and `close` when it serves
 */
export declare function run(
  args: string[],
  io?: {
    env?: Record<string, string | undefined>;
    out?: { write(text: string): unknown };
    err?: { write(text: string): unknown };
  },
): Promise<{ code: number; close?: () => Promise<void> }>;
