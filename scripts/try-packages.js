// Tries tarballs out where there may be nothing but Node and npm:  node scripts/try-packages.js TARBALL...
// They are installed into an empty project, with no registry, and the programs of __test__/package run in it.

import path from 'node:path';
import { PROGRAMS, Project, quickStart } from '../__test__/package/project.js';

const tarballs = process.argv.slice(2).map((tarball) => path.resolve(tarball));
if (tarballs.length === 0)
  throw new Error('name the tarballs of the package, of this platform and of the dashboard');

const project = await Project.create(tarballs);
try {
  for (const program of PROGRAMS) project.bring(program);
  project.write('quick-start.mjs', quickStart(project.installed('README.md')).program);
  for (const program of [...PROGRAMS, 'quick-start.mjs']) {
    const { code, stdout, stderr } = await project.run(program);
    console.log(`${program}: ${code === 0 ? 'passed' : `FAILED (${code})\n${stdout}${stderr}`}`);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  project.remove();
}
