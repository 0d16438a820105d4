#!/usr/bin/env node
import { run } from './server/command.js';

const { code, close } = await run(process.argv.slice(2));
if (close) {
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await close();
    process.exit(0);
  };
  process.once('SIGINT', end); // a second one ends it as it is
  process.on('SIGTERM', end); // to a whole group it comes twice: `cairnq dashboard` hands its own on
} else {
  process.exitCode = code;
}
