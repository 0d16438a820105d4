const barWidth = 16;

/** One line that redraws itself on a terminal; elsewhere a plain line for every tenth of the way. */
export class Progress {
  #live = process.stdout.isTTY === true;
  #startedAt = performance.now();
  #tenthShown = -1;

  /** @param {Record<string, Record<string, number>>} stats counts by queue and status */
  show(stats) {
    const { total, ended, running, queued } = sum(stats);
    if (total === 0) return;
    const share = ended / total;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const text = `${ended} of ${total} tasks ended, ${running} running, ${queued} queued, ${seconds.toFixed(1)} s`;
    if (this.#live) {
      const full = Math.round(share * barWidth);
      const line = `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${text}`;
      process.stdout.write(`\r\x1b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth === this.#tenthShown) return;
    this.#tenthShown = tenth;
    console.log(text);
  }

  finish(stats) {
    this.#tenthShown = -1;
    this.show(stats);
    console.log('');
  }
}

function sum(stats) {
  const counts = { queued: 0, running: 0, succeeded: 0, failed: 0, canceled: 0 };
  for (const queue of Object.values(stats)) {
    for (const status of Object.keys(counts)) counts[status] += queue[status];
  }
  const ended = counts.succeeded + counts.failed + counts.canceled;
  return { ...counts, ended, total: ended + counts.queued + counts.running };
}
