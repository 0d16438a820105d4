/** Processes whose wall clock is ahead of everybody else's. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./clock-ahead.c', import.meta.url));

/** `{env(seconds, backFile?), remove}`, or `{missing}`: why it cannot be had here. */
export function skewedClock() {
  if (process.platform !== 'linux') return { missing: 'the clock shim is for Linux' };
  const directory = mkdtempSync(path.join(tmpdir(), 'cairnq-clock-'));
  const library = path.join(directory, 'clock-ahead.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], {
      stdio: 'pipe',
    });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    return { missing: `no C compiler: ${error.message.split('\n')[0]}` };
  }
  return {
    env: (seconds, backFile = '') => ({
      LD_PRELOAD: library,
      CLOCK_AHEAD_S: String(seconds),
      CLOCK_BACK_FILE: backFile,
    }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
