/**
 * Whether an announcement sent to the server comes back. It names a queue that nobody has, so that no worker wakes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../ids.js';
import { ask } from '../../inspect/ask.js';
import { storeOf } from '../../inspect/target.js';

const PATIENCE_MS = 4_000;
const AGAIN_MS = 250;

/** @param {string} target */
export function saysPooler(target) {
  return /[?&\s]pgbouncer\s*=\s*true(?=[&\s]|$)/i.test(` ${target}`);
}

/**
 * @param {string} target
 * @param {string | undefined} schema
 * @param {import('../../store.js').TaskStore} sender
 * @returns {Promise<boolean | null>} null when it could not be tried
 */
export async function isHeard(target, schema, sender) {
  // Stores of one DSN share what they hear, and leave out what they said themselves; this one is to hear it.
  const listener = storeOf(separately(target), { schema, migrate: 'never', max: 1 });
  const queue = newId('doctor_');
  let over = false;
  try {
    const heard = listener.claimWake([queue], PATIENCE_MS).finally(() => {
      over = true;
    });
    // The first may be sent before the listener is there.
    const sending = (async () => {
      while (!over) {
        await ask(sender, 'notify', [queue]);
        await sleep(AGAIN_MS);
      }
    })();
    const [outcome] = await Promise.all([heard, sending]);
    return outcome;
  } catch (error) {
    return isMisled(error) ? false : null;
  } finally {
    await listener.close();
  }
}

/**
 * Whether what the listener should hear came to a connection that does not listen, which only a pooler does: it gave
 * the sender the connection on which LISTEN had been said.
 *
 * @param {unknown} error
 */
function isMisled(error) {
  return error instanceof Error && error.message.includes('NotificationResponse');
}

/** @param {string} target the same database in another spelling */
function separately(target) {
  if (!/^postgres(ql)?:\/\//i.test(target)) return `${target} `;
  return target.includes('?') ? `${target}&` : `${target}?`;
}
