// The process of one measurement: loads the module it is told to, runs it once, answers, ends.

const [file] = process.argv.slice(2);
let goOn;
const told = new Promise((resolve) => {
  goOn = resolve;
});

process.on('message', async (message) => {
  if (message.goOn) return goOn();
  const control = { ready: (info = null) => process.send({ ready: info }), told };
  let answer;
  try {
    const { run } = await import(file);
    answer = { result: await run(message.params, control) };
  } catch (error) {
    answer = { error: error.stack ?? String(error) };
  }
  // What a library left running must not keep a finished measurement's process in the way of the next.
  process.send(answer, () => process.exit('error' in answer ? 1 : 0));
});
