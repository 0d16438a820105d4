/** The whole terminal, for as long as a live view has it; it is given back as it was found. */

const ALTERNATE = '\u001b[?1049h\u001b[?25l';
const BACK = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

export class Screen {
  #stop = new AbortController();
  #onKey = (/** @type {Buffer} */ key) => {
    // q, Ctrl-C, Ctrl-D, Escape
    if (['q', 'Q', '\u0003', '\u0004', '\u001b'].includes(key.toString())) this.#stop.abort();
  };
  #onSignal = () => this.#stop.abort();

  /**
   * @param {NodeJS.ReadStream} stdin
   * @param {NodeJS.WriteStream} stdout
   */
  constructor(stdin, stdout) {
    this.stdin = stdin;
    this.stdout = stdout;
  }

  /** Aborted when the user has seen enough. */
  get stopped() {
    return this.#stop.signal;
  }

  get size() {
    return { columns: this.stdout.columns || 80, rows: this.stdout.rows || 24 };
  }

  enter() {
    this.stdout.write(ALTERNATE);
    if (this.stdin.isTTY) {
      this.stdin.setRawMode(true);
      this.stdin.on('data', this.#onKey);
    }
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.once(signal, this.#onSignal);
    }
  }

  /** @param {string[]} lines */
  draw(lines) {
    const text = lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n');
    this.stdout.write(`${HOME}${text}${REST_OF_SCREEN}`);
  }

  leave() {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.off(signal, this.#onSignal);
    }
    if (this.stdin.isTTY) {
      this.stdin.off('data', this.#onKey);
      this.stdin.setRawMode(false);
      this.stdin.pause();
    }
    this.stdout.write(BACK);
  }
}
