import { ways } from './piece-ways.mjs';

/** A small Node process that repeats one part of a run and reports how long each took. Arguments: the part, a working folder, the command. */
const [, , name, place, file, ...args] = process.argv;
const { runOnce, close = () => {} } = await ways[name]({ place, file, args });

process.on('message', async (ms) => {
  const times = [];
  const until = performance.now() + ms;
  while (performance.now() < until) times.push(await runOnce());
  process.send({ times });
});
process.once('disconnect', async () => {
  await close();
  process.exit();
});
process.send({ times: [] });
