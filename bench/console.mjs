import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { floodId, writeFloodScript } from './console/flood-script.mjs';
import { openWatchedPage } from './console/watched-page.mjs';
import { rounded } from './support/samples.mjs';
import { startService } from './support/service.mjs';

/** It needs no history, so its size is not told. */
export const usesHistory = false;

const written = 100_000;
const linesPerSecond = 2000;
/** Five times the longest task that was seen, on a machine that had much else to do. */
const mostTaskMs = 1800;

/** A page with 100,000 lines, on which more of them come in while somebody scrolls and searches: how long it ever keeps others waiting. */
export async function measure({ quick, say }) {
  const seconds = quick ? 3 : 10;
  const home = mkdtempSync(join(tmpdir(), 'hob-bench-console-'));
  const gate = join(home, 'gate');
  mkdirSync(join(home, 'scripts'));
  writeFloodScript(join(home, 'scripts', 'flood'), { written, linesPerSecond, seconds, gate });
  const service = await startService(home, '');
  const caller = service.caller();
  const phases = [];
  let page;
  try {
    const { run_id } = await caller.json('/api/execute', { script_id: floodId });
    page = await openWatchedPage();
    const phase = async (what, work) => {
      say(what);
      const began = performance.now();
      await work();
      phases.push({ what, ms: performance.now() - began, ...(await page.takeTasks()) });
    };
    await page.untilWritten(gate);
    await phase(`open: ${written.toLocaleString('en')} lines are shown`, async () => {
      await page.open(`${service.url}/runs/${run_id}`);
      await page.untilLines(written);
    });
    page.letGo(gate);
    await phase('the end is followed', () => page.wait(seconds * 300));
    await phase('up and down by the wheel', () => page.scroll(seconds * 250));
    await phase('search, and from one to the next', () => page.search('line 99', seconds * 250));
    let lagMs;
    await phase('back to the end, until the last line is shown', async () => {
      lagMs = await page.untilLast();
    });
    const { heapBytes, residentBytes } = await page.memory();
    const longest = Math.max(...phases.map((each) => each.longestMs));
    const isMet = longest <= mostTaskMs;
    return {
      tables: [
        {
          title: `The page of a run with ${written.toLocaleString('en')} lines, and ${linesPerSecond.toLocaleString('en')} more a second for ${seconds} s: tasks that kept it busy for more than 50 ms`,
          columns: ['meanwhile', 'lasted ms', 'long tasks', 'longest ms', 'together ms'],
          rows: phases.map(({ what, ms, count, longestMs, totalMs }) => [
            what,
            rounded(ms),
            count,
            rounded(longestMs),
            rounded(totalMs),
          ]),
        },
        {
          title: 'In the end',
          columns: ['what', 'measured'],
          rows: [
            ['the last line was shown after it was written, ms', rounded(lagMs)],
            ['heap of the page, MB', rounded(heapBytes / 1e6)],
            ['memory of its process, MB', rounded(residentBytes / 1e6)],
          ],
        },
      ],
      claims: [
        { what: 'longest task, ms', bound: { atMost: mostTaskMs }, measured: rounded(longest), isMet },
      ],
      failed: isMet ? [] : ['longest task'],
    };
  } finally {
    await page?.close();
    caller.close();
    await service.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
