import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, tempFolder } from '../support/hob.ts';
import { hostileResults, type ResultCase } from '../support/hostile-results.ts';
import { killEach, startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, writeScript } from '../support/scripts.ts';

const scenario = 'results';

/** Performs the command in the given file on its result file. */
const writer = bash(`
value() { sed -n "s/^ *\\"$1\\": \\"\\(.*\\)\\",*$/\\1/p" "$2"; }
content=$(value content "$1")
. "$(value act "$1")"
`);

async function outcomeOf(hob: Hob, id: string, folder: string, index: number, each: ResultCase) {
  const [act, content] = ['act', 'content'].map((kind) => join(folder, `${index}.${kind}`));
  await writeFile(act ?? '', each.act ?? 'cp "$content" "$output"');
  await writeFile(content ?? '', each.content ?? '');
  return await hob.run(id, { params: { act, content } });
}

/** Compared here, because some are too large to print. */
function isExpected(result: unknown, { expected }: ResultCase): boolean {
  if (expected !== undefined) return isDeepStrictEqual(result, expected);
  const { code, msg, ...more } = Object(result);
  return code === -3 && typeof msg === 'string' && Object.keys(more).length === 0;
}

it(
  'every result file is answered with its content or with the reason for its refusal',
  patiently,
  async () => {
    const scripts = await tempFolder();
    const folder = await tempFolder();
    const id = await writeScript(scripts, 'writer', { entry: writer });
    const { hob, trace } = await startTraced({ scripts: [scripts] });
    const cases = hostileResults();
    const wrong: string[] = [];
    for (let round = 0; round < scaled(1, 5); round++) {
      for (const [index, each] of cases.entries()) {
        const { status, body } = await outcomeOf(hob, id, folder, index, each);
        killEach(await trace.scripts());
        if (status !== 200 || body.success !== true || !isExpected(body.result, each)) wrong.push(each.name);
      }
    }
    expect(wrong).toEqual([]);
    // If one of the results had polluted the prototype of all objects, an empty object would now have a code and a message.
    const empty = await outcomeOf(hob, id, folder, cases.length, { name: 'empty', content: '{}' });
    expect(Object.keys(empty.body.result ?? {})).toEqual(['code', 'msg']);
    expect(empty.body.result).toMatchObject({ code: -3 });
    const unknown = (await hob.get('/api/runs/nobody')).body;
    expect(Object.keys(unknown).sort()).toEqual(['code', 'hint', 'message', 'status']);
    expect((await hob.get('/api/health')).body).toMatchObject({ status: 'ok', running: 0, queued: 0 });
    record({ scenario, what: 'hostile result files', value: cases.length, unit: '' });
    record({
      scenario,
      what: 'runs with a wrong envelope',
      value: wrong.length,
      unit: '',
      bound: { exactly: 0 },
    });
  },
);
