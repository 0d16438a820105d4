// Builds the addon for this machine, or for the target named:
//   node scripts/build.js [--release] [--target TRIPLE [--cross napi|zig]]

import { parseArgs } from 'node:util';
import { buildAddon } from './addon.js';
import { installDependencies } from './bootstrap.js';

/** How napi compiles for another system: GCC with a sysroot of glibc 2.17, or zig, which brings musl. */
const CROSS = { napi: ['--use-napi-cross'], zig: ['--cross-compile'] };

const { values } = parseArgs({
  options: {
    release: { type: 'boolean', default: false },
    target: { type: 'string' },
    cross: { type: 'string' },
  },
});
const cross = values.cross === undefined ? [] : CROSS[values.cross];
if (cross === undefined) throw new Error(`--cross is napi or zig, not ${values.cross}`);

installDependencies();
process.exitCode = buildAddon({ release: values.release, target: values.target, cross });
