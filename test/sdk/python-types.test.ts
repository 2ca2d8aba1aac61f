import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { projectRoot, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';

const mypy = findProgram('mypy');
const sdk = join(projectRoot, 'sdk', 'python');

it.skipIf(!has('mypy', mypy !== null))(
  'the Python modules pass mypy in strict mode, and so do their users',
  async () => {
    const folder = await tempFolder();
    const file = join(folder, 'main.py');
    await writeFile(
      file,
      `
from typing import List
import hob
from hob.client import Hob, Output

@hob.main
def main(inputs: List[str], run: hob.Run, quality: int = 85) -> str:
    parts: List[Output] = list(Hob().start("x", data=inputs).output())
    run.progress(0.5, str(quality))
    return parts[0].text

reveal_type(main)
`,
    );
    const args = ['--strict', '--cache-dir', join(folder, 'cache'), join(sdk, 'hob'), file];
    const { stdout } = await promisify(execFile)(mypy ?? '', args, {
      cwd: folder,
      env: { ...process.env, MYPYPATH: sdk },
    }).catch((error) => error);
    expect(stdout).toMatch(/def \(inputs: .*\[.*str\], run: hob\.Run, quality: .*int.* =\) -> .*str/);
    expect(stdout).toContain('Success: no issues found');
  },
);
