import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/bootstrap.js';

/** What the figures were taken on: nobody should read them without it. */
export async function machine(backends) {
  const processors = cpus();
  const databases = {};
  for (const backend of backends) databases[backend.name] = await backend.describe();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    rust: firstLine('rustc', ['--version']),
    commit: firstLine('git', ['rev-parse', '--short', 'HEAD']),
    directory: fileSystem(),
    databases,
    versions: versions(),
    takenAt: new Date().toISOString(),
  };
}

function versions() {
  const lock = JSON.parse(
    readFileSync(path.join(root, 'bench/package-lock.json'), 'utf8'),
  ).packages;
  const requirements = readFileSync(path.join(root, 'bench/peers/requirements.txt'), 'utf8');
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const named = (name) => lock[`node_modules/${name}`].version;
  return {
    '@cairnq/native': version,
    plainjob: `${named('plainjob')} on better-sqlite3 ${named('better-sqlite3-12')}`,
    liteque: `${named('liteque')} on better-sqlite3 ${named('better-sqlite3')}`,
    'graphile-worker': named('graphile-worker'),
    'pg-boss': named('pg-boss'),
    'Python cairnq': /^cairnq\S*==(\S+)$/m.exec(requirements)?.[1],
  };
}

/** Where the SQLite files lie: a file system in memory has other habits than a disk. */
function fileSystem() {
  const at = process.env.CAIRNQ_BENCH_DIR ?? tmpdir();
  const kind = firstLine('stat', ['--file-system', '--format', '%T', at]);
  return kind === null ? 'unknown file system' : kind;
}

function firstLine(command, args) {
  try {
    return execFileSync(command, args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\n')[0]
      .trim();
  } catch {
    return null;
  }
}
