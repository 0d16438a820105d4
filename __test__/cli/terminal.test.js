import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { until } from '../spec/events.js';
import { onEveryBackend, setStage } from '../spec/stage.js';
import { program, targetOf } from './run.js';

/** A terminal of its own for a program: Python's standard library has one wherever Python is. */
const PTY = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
import select
while True:
    ready, _, _ = select.select([fd, 0], [], [])
    if fd in ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 1024)
        if data:
            os.write(fd, data)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
`;

function hasPty() {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The command line in a terminal of its own. */
function inTerminal(args, env = {}) {
  const child = spawn('python3', ['-c', PTY, process.execPath, program, ...args], {
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...env },
  });
  const seen = { text: '' };
  child.stdout.on('data', (chunk) => {
    seen.text += chunk;
  });
  return {
    child,
    shows: (pattern) => until(() => pattern.test(seen.text)),
    type: (keys) => child.stdin.write(keys),
    ended: async () => {
      const [code] = await once(child, 'close');
      return { code, text: seen.text };
    },
  };
}

// Without Python there is no terminal to be had; what needs none is tested elsewhere.
const onTerminal = it.runIf(hasPty());

onEveryBackend('in a terminal', (backend) => {
  onTerminal('top draws again and again, and gives the terminal back at q', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    await client.submit('first');
    const terminal = inTerminal(['top', targetOf(stage), '--interval', '200ms']);
    const ended = terminal.ended();
    await terminal.shows(/due 1 /);
    await client.submit('second');
    await terminal.shows(/due 2 /);
    terminal.type('q');
    const { code, text } = await ended;
    expect(code).toBe(0);
    expect(text).toContain('\u001b[?1049h');
    expect(text.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(text).toContain('\u001b[1mcairnq top\u001b[0m');
  });

  onTerminal('a question is asked there, and only yes is a yes', async () => {
    const stage = await setStage(backend);
    const client = stage.client();
    const { id } = await client.submit('kept');
    const refused = inTerminal(['cancel', targetOf(stage), id]);
    const over = refused.ended();
    await refused.shows(/Cancel 1 task\? \[y\/N\]/);
    refused.type('\n');
    expect(await over).toMatchObject({ code: 1 });
    expect((await client.get(id)).status).toBe('queued');

    const agreed = inTerminal(['cancel', targetOf(stage), id]);
    const done = agreed.ended();
    await agreed.shows(/\[y\/N\]/);
    agreed.type('y\n');
    expect(await done).toMatchObject({ code: 0 });
    expect((await client.get(id)).status).toBe('canceled');
  });
});

onEveryBackend('colour', (backend) => {
  onTerminal.each([
    [{}, [], true],
    [{ NO_COLOR: '1' }, [], false],
    [{ TERM: 'dumb' }, [], false],
    [{}, ['--no-color'], false],
    [{}, ['--json'], false],
  ])('with %o and %o: %s', async (env, args, coloured) => {
    const stage = await setStage(backend);
    await stage.client().submit('a');
    const { code, text } = await inTerminal(['ls', targetOf(stage), ...args], env).ended();
    expect([code, text.includes('\u001b[')]).toEqual([0, coloured]);
  });
});
