import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ratio, rounded, Samples } from '../support/samples.mjs';
import { expectedText } from './programs.mjs';
import { withRivals } from './rivals.mjs';
import { blockedText } from './watch.mjs';

const megabytes = 10;
const lineBytes = 80;

/** Measures a script that prints ten megabytes, which its caller gets in the response. */
export function measureOutput(scene) {
  const { folder, load, extent, say } = scene;
  say('output');
  const large = join(folder, 'large.txt');
  const lines = (megabytes * 1_000_000) / lineBytes;
  writeFileSync(large, `${'x'.repeat(lineBytes - 1)}\n`.repeat(lines));
  const text = `cat ${large}\necho ${expectedText}\necho '{"code":0,"msg":"ok"}' > "\${1%/*}/result.json"\n`;
  const program = { language: 'sh', entry: 'main.sh', text };
  return withRivals('large', program, scene, async ({ hob, targets }) => {
    await hob.watch.begin();
    const times = targets.map(() => new Samples());
    for (let round = -1; round < extent.rounds; round++) {
      for (const [side, target] of targets.entries()) {
        const burst = () => load.burst({ target, callers: 1, warmUpMs: 0, calls: 4 });
        const seen = await (side === 0 ? hob.watch.during(burst) : burst());
        if (round >= 0) times[side].addAll(seen.times);
      }
    }
    const { blockedMs, serviceMb, executorMb } = await hob.watch.end();
    const row = (who, samples) => [who, rounded(samples?.at(0.5)), rounded(samples?.at(0.99))];
    const [own, others] = times;
    return {
      blockedMs,
      figures: others === undefined ? {} : { 'output: p50': own.at(0.5) / others.at(0.5) },
      tables: [
        {
          title: `${megabytes} MB of output in the response, in milliseconds (longest block of the event loop: ${blockedText(blockedMs)}; service ${rounded(serviceMb)} MB afterwards, executor ${rounded(executorMb)} MB)`,
          columns: ['', 'p50', 'p99'],
          rows: [
            row('Hob', own),
            row('webhook', others),
            ['ratio', ratio(own.at(0.5), others?.at(0.5)), ratio(own.at(0.99), others?.at(0.99))],
          ],
        },
      ],
    };
  });
}
