import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const modules = ['new-space', 'start-worker'].map(
  (name) => new URL(`../build/shared/${name}.js`, import.meta.url),
);

/** How large the space of new objects is, in MB, after work of which it is or is not told, once a thread was started. */
async function sizeAfterWork({ isTold }: { isTold: boolean }): Promise<number> {
  const program = `
    import { once } from 'node:events';
    import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
    setFlagsFromString('--semi-space-growth-factor=1');
    const { growNewSpace } = await import('${modules[0]}');
    const { startWorker } = await import('${modules[1]}');
    const worker = startWorker(new URL('data:text/javascript,setInterval(() => {}, 1000)'), {});
    await once(worker, 'online');
    const kept = [];
    for (let turn = 0; turn < 2000; turn++) {
      for (let count = 0; count < 1000; count++) kept[(turn * 1000 + count) % 50000] = { turn, text: 'x' + count };
      if (${isTold}) growNewSpace();
    }
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    console.log(space.space_size / 1e6);
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return Number(stdout);
}

it('the space of new objects grows with the work, but not as far as Node would let it, and a thread changes nothing about that', async () => {
  const [busy, idle] = [await sizeAfterWork({ isTold: true }), await sizeAfterWork({ isTold: false })];
  expect(idle).toBeLessThan(3);
  expect(busy).toBeGreaterThan(7);
  expect(busy).toBeLessThan(20);
});
