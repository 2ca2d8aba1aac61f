import { describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { type ScriptOptions, writeScript } from '../support/scripts.ts';

const hasPython = has('Python', findProgram('python3') !== null);
const id = 'b7a4d9d2-3c0f-4a53-9f1c-6a1e1d0f2c77';

/** Scripts that call themselves, and print the code of the refusal, their own state, and whether the hint names the right function. */
const callers: Record<string, ScriptOptions> = {
  'node.js': {
    language: 'node.js',
    entry: [
      'main.mjs',
      `import { Hob } from 'hob/client';
const hob = new Hob();
const error = await hob.run('${id}').catch((error) => error);
const { state } = await hob.attach(process.env.HOB_RUN_ID).get();
console.log(error.code, state, error.hint.includes('run().link(id, '));
`,
    ],
  },
  python: {
    language: 'python',
    entry: [
      'main.py',
      `import os
from hob.client import CallError, Hob
hob = Hob()
try:
    hob.run("${id}")
except CallError as error:
    print(error.code, hob.attach(os.environ["HOB_RUN_ID"]).get()["state"], str("hob.run().link(id, " in error.hint).lower())
`,
    ],
  },
};

describe('a script with one slot that calls itself with the client', () => {
  for (const [language, options] of Object.entries(callers))
    it.skipIf(language === 'python' && !hasPython)(`is refused, and can read runs: ${language}`, async () => {
      const scripts = await tempFolder();
      await writeScript(scripts, 'caller', { ...options, id, runtime: 'concurrency = 1\ntimeout = 60' });
      const hob = await startHob({ scripts: [scripts] });
      expect((await hob.run(id)).body).toMatchObject({
        stdout: 'inside-run running true\n',
        stderr: '',
        success: true,
      });
    });
});
