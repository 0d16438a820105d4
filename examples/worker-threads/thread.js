import { parentPort, workerData } from 'node:worker_threads';
import { Worker } from '@cairnq/native';

const worker = Worker.sqlite(workerData.database, { concurrency: 1, prefetch: 0, leaseMs: 2000 });

worker.task('primes.count', (ctx, { below }) => {
  const found = [];
  for (let n = 2; n < below; n += 1) {
    if (n % 4096 === 0 && (ctx.cancelRequested || ctx.lostLease)) return undefined;
    if (isPrime(n, found)) found.push(n);
  }
  return { below, primes: found.length };
});

function isPrime(n, smaller) {
  for (const prime of smaller) {
    if (prime * prime > n) return true;
    if (n % prime === 0) return false;
  }
  return true;
}

parentPort?.once('message', () => worker.stop());
await worker.run();
await worker.close();
parentPort?.close();
