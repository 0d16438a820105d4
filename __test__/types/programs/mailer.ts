/** Definitions shared by a producer and a worker; handlers that fail, retry, give up, and have children. */
import { CairnQ, defineTask, type Task, TaskError, Worker } from '@cairnq/native';

interface Mail {
  to: string;
  subject: string;
  body?: string;
}

interface Receipt {
  messageId: string;
  sentAt: number;
}

export const sendMail = defineTask<Mail, Receipt>('mail.send');
export const archive = defineTask<Receipt>('mail.archive');
const sweep = defineTask<{ olderThanMs: number } | undefined, void>('mail.sweep');
const digest = defineTask<{ recipients: string[] }, number>('mail.digest');

class Bounced extends TaskError {
  constructor(address: string, permanent: boolean) {
    super(`bounced: ${address}`, { code: 'bounced', retryable: !permanent, details: { address } });
  }
}

declare function deliver(mail: Mail, signal: AbortSignal): Promise<string>;

const worker = Worker.sqlite('mail.db', {
  queues: ['default', 'mail'],
  concurrency: 16,
  leaseMs: 30_000,
  maxRunMs: 120_000,
  onError: (error, { phase, taskId }) => console.error(`${phase} ${taskId ?? ''}`, error.message),
});

worker.task(sendMail, { concurrency: 4 }, async (ctx, mail) => {
  if (!mail.to.includes('@')) throw new Bounced(mail.to, true);
  await ctx.progress(0.1, 'connecting');
  const messageId = await deliver(mail, ctx.signal);
  await ctx.submit(archive, { messageId, sentAt: Date.now() }, { priority: -1, queue: ctx.queue });
  return { messageId, sentAt: Date.now() };
});

worker.task(archive, async (ctx, receipt) => {
  if (await ctx.canceled()) return ctx.fail('no longer wanted', { retryable: false });
  console.log(ctx.attempt, ctx.metadata.source, receipt.messageId.length, receipt.sentAt.toFixed());
  return null;
});

worker.task(digest, async (ctx, { recipients }) => {
  const children: Task<Mail, Receipt>[] = [];
  for (const to of recipients) {
    children.push(await ctx.submit(sendMail, { to, subject: 'Digest' }, { key: `digest-${to}` }));
  }
  const ends = await Promise.all(children.map(({ id }) => ctx.wait(id, { timeoutMs: 60_000 })));
  await ctx.submit(sweep);
  return ends.filter(({ status }) => status === 'succeeded').length;
});

worker.task(sweep, (_ctx, options) => console.log(options?.olderThanMs ?? 0));

export async function main() {
  const client = CairnQ.sqlite('mail.db');
  const sent = await client.call(sendMail, { to: 'a@b.c', subject: 'Hi' }, { waitTimeoutMs: 5000 });
  console.log(sent.messageId, sent.sentAt + 1);
  const queued = await client.submit(digest, { recipients: ['a@b.c'] }, { runAtDelayMs: 60_000 });
  console.log(queued.payload.recipients.length, (queued.result ?? 0) + 1);
  await client.close();
  await worker.serve();
}
