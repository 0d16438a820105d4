import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * A program running beside the test. Its JSON lines are kept in `lines`; `event(name)` waits for one.
 * Nothing here depends on the product: the program may be Node, Python or anything that prints lines.
 */
export class Peer {
  lines = [];
  stderr = '';
  #waiting = [];

  constructor(command, args, { env = {} } = {}) {
    this.process = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.exited = new Promise((resolve) => {
      this.process.on('close', (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
        this.#check();
      });
    });
    this.process.stdin.on('error', () => {});
    this.process.stderr.setEncoding('utf8').on('data', (chunk) => {
      this.stderr += chunk;
    });
    let rest = '';
    this.process.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) this.lines.push(parsed(line));
      this.#check();
    });
  }

  /** A Node program of this folder, given `config` as its one argument. */
  static node(program, config = {}, options = {}) {
    const file = fileURLToPath(new URL(program, import.meta.url));
    return new Peer(process.execPath, [file, JSON.stringify(config)], options);
  }

  send(command) {
    this.process.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** The lines told so far under a name. */
  told(event, where = () => true) {
    return this.lines.filter((line) => line.event === event && where(line));
  }

  /** Resolves with the first line of that name (and that satisfies `where`), whether past or to come. */
  event(name, { where = () => true, timeoutMs = 15_000 } = {}) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no "${name}" within ${timeoutMs} ms\n${this.report()}`));
      }, timeoutMs);
      this.#waiting.push({ name, where, resolve, reject, timer });
      this.#check();
    });
  }

  #check() {
    this.#waiting = this.#waiting.filter(({ name, where, resolve, reject, timer }) => {
      const line = this.lines.find((told) => told.event === name && where(told));
      if (line === undefined && this.exit === undefined) return true;
      clearTimeout(timer);
      if (line === undefined)
        reject(new Error(`the peer ended before "${name}"\n${this.report()}`));
      else resolve(line);
      return false;
    });
  }

  /** Resolves with `{code, signal}`; kills the program and rejects when it outlives the deadline. */
  async exitWithin(timeoutMs) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        this.kill();
        reject(new Error(`still running after ${timeoutMs} ms\n${this.report()}`));
      }, timeoutMs);
    });
    try {
      return await Promise.race([this.exited, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  kill(signal = 'SIGKILL') {
    this.process.kill(signal);
  }

  async end() {
    if (this.exit === undefined) {
      // A stopped process would not see anything but SIGKILL.
      this.kill('SIGKILL');
      await this.exited;
    }
  }

  report() {
    const lines = this.lines.slice(-20).map((line) => JSON.stringify(line));
    return [`exit: ${JSON.stringify(this.exit)}`, ...lines, this.stderr.slice(-2000)].join('\n');
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { event: 'text', text: line };
  }
}
