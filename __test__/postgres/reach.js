/** Stores that reach a stage's database by a way of the test's choosing, and servers of a test's own. */
import { onTestFinished } from 'vitest';
import { PostgresStore } from '../../index.js';
import { within } from '../spec/events.js';
import { PostgresServer } from '../support/postgres-server.js';
import { TcpProxy } from './tcp-proxy.js';

/** A proxy in front of a stage's server, gone with the test. */
export async function proxyBefore(stage) {
  const { hostname, port } = new URL(stage.world.dsn);
  const proxy = await TcpProxy.to({ host: hostname, port: Number(port || 5432) });
  stage.atEnd(() => proxy.close());
  return proxy;
}

/** A store on `dsn`, closed with the stage. */
export function storeOn(stage, dsn, options) {
  const store = new PostgresStore(dsn, options);
  stage.atEnd(() => store.close());
  return store;
}

/** A server of the test's own, for what would disturb others. */
export async function ownServer(settings, files) {
  const server = await PostgresServer.create(settings, files);
  onTestFinished(() => within(10_000, server.destroy(), 'the server'));
  return server;
}
