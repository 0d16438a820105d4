import { parseOptions, usage } from './options.js';

try {
  const { folder, query, help } = parseOptions(process.argv.slice(2));
  if (help) console.log(usage);
  else if (query !== undefined) {
    const { printHits } = await import('./query.js');
    process.exitCode = (await printHits(query)) ? 0 : 1;
  } else {
    const { runDemo } = await import('./run.js');
    process.exitCode = (await runDemo(folder)) ? 0 : 1;
  }
} catch (error) {
  console.error(`demo: ${error.message}`);
  if (error.code?.startsWith('ERR_PARSE_ARGS')) console.error(`\n${usage}`);
  process.exitCode = 1;
}
