/**
 * What every program the tests spawn shares: its configuration arrives as one JSON argument, it tells
 * what happens as JSON lines on stdout, and it ends when its parent does (stdin closes).
 */
import { writeSync } from 'node:fs';

export const config = JSON.parse(process.argv[2] ?? '{}');

/** Written synchronously, so that a line is out before a handler blocks the thread for good. */
export function tell(event, fields = {}) {
  writeSync(1, `${JSON.stringify({ event, at: Date.now(), ...fields })}\n`);
}

/** Calls `onCommand(command)` for each JSON line the parent sends; exits when the parent is gone. */
export function listen(onCommand = () => {}) {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) onCommand(JSON.parse(line));
  });
  process.stdin.on('end', () => process.exit(0));
}
