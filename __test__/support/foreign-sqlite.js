import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./foreign-sqlite-process.js', import.meta.url));

/**
 * Another SQLite library in another process. It must be another process: POSIX locks belong to a process, so
 * a second library closing the file beside our addon would drop the addon's locks.
 */
export class ForeignSqlite {
  #child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  #waiting = new Map();
  #next = 1;

  constructor() {
    this.#child.on('message', ({ id, rows, error }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      this.#hold();
      if (error) reject(Object.assign(new Error(error.message), { code: error.code }));
      else resolve(rows);
    });
    this.#child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the peer process ended'));
    });
    this.#hold();
  }

  /** Runs one statement on a connection of its own that is closed again at once. */
  once(path, text, params = []) {
    return this.#ask({ op: 'once', path, text, params });
  }

  /** Keeps this process's connection to `path` open for a series of statements. */
  async open(path) {
    await this.#ask({ op: 'open', path });
    return {
      sql: (text, params = []) => this.#ask({ op: 'sql', text, params }),
      close: async () => {
        if (this.#child.exitCode !== null || !this.#child.connected) return;
        const ended = new Promise((resolve) => this.#child.once('exit', resolve));
        this.#child.disconnect();
        await ended;
      },
    };
  }

  #ask(message) {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#hold();
      this.#child.send({ id, ...message });
    });
  }

  /** The peer keeps the test process alive only while an answer is awaited. */
  #hold() {
    const hold = this.#waiting.size > 0;
    if (hold) this.#child.ref();
    else this.#child.unref();
    if (hold) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }
}
