import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { projectRoot, runCli, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { writeScript } from '../support/scripts.ts';

const mypy = findProgram('mypy');
const python = findProgram('python3');
const pyright = createRequire(import.meta.url).resolve('pyright');
const sdk = join(projectRoot, 'sdk', 'python');

/** A type checker of Python. */
interface Checker {
  readonly name: string;
  readonly isHere: boolean;
  readonly success: string;
  /** Returns the output for these files in a folder. */
  check(folder: string, files: string[]): Promise<string>;
}

const checkers: Checker[] = [
  {
    name: 'mypy',
    isHere: has('mypy', mypy !== null),
    success: 'Success: no issues found',
    async check(folder, files) {
      const args = ['--strict', '--cache-dir', join(folder, 'cache'), join(sdk, 'hob'), ...files];
      return output(mypy ?? '', args, folder, { MYPYPATH: sdk });
    },
  },
  {
    name: 'pyright',
    isHere: has('Python', python !== null),
    success: '0 errors, 0 warnings',
    async check(folder, files) {
      const settings = {
        include: [join(sdk, 'hob'), ...files],
        extraPaths: [sdk],
        typeCheckingMode: 'strict',
        pythonVersion: '3.8',
      };
      await writeFile(join(folder, 'pyrightconfig.json'), JSON.stringify(settings));
      const args = [pyright, '--project', folder, '--pythonpath', python ?? ''];
      return output(process.execPath, args, folder, {});
    },
  },
];

async function output(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, ...env },
  }).catch((error) => error);
  return stdout;
}

const module = `
from typing import List
import hob
from hob.client import Hob, Output

@hob.main
def main(inputs: List[str], run: hob.Run, quality: int = 85) -> str:
    parts: List[Output] = list(Hob().start("x", data=inputs).output())
    run.progress(0.5, str(quality))
    return parts[0].text

reveal_type(main)
`;

const tables = `
[[service.params]]
name = "mode"
type = "str"
choices = ["lossy", "lossless"]
required = true
[[service.params]]
name = "my-flag"
type = "bool"
default = false
[[service.outputs]]
name = "total"
type = "int"
`;

const userOfTypes = `
from typing import Optional
from hob.client import Hob
from plain import plainId, PlainParams
from resize import resizeId, ResizeParams, ResizeResult

hob = Hob()
params: ResizeParams = {"mode": "lossy"}
params["my-flag"] = True
result: ResizeResult = hob.run(resizeId, params=params)["result"]
text: str = result["msg"]
total: Optional[int] = result.get("total")
nothing: PlainParams = {}
hob.start(plainId, data={"files": ["a"]}, params=nothing)
`;

const wrongUser = `
from resize import ResizeParams

missing: ResizeParams = {"my-flag": True}
unknown: ResizeParams = {"mode": "lossy", "speed": 1}
`;

for (const { name, isHere, success, check } of checkers) {
  describe.skipIf(!isHere)(name, () => {
    it('accepts the Python modules in strict mode, and their users', async () => {
      const folder = await tempFolder();
      const file = join(folder, 'main.py');
      await writeFile(file, module);
      const text = await check(folder, [file]);
      expect(text).toMatch(/\(inputs: .*\[.*str\], run: (?:hob\.)?Run, quality: .*int.* =.*\) -> .*str/);
      expect(text).toContain(success);
    });

    it('accepts the types that hob types prints, and finds wrong params', async () => {
      const scripts = await tempFolder();
      const ids = {
        resize: await writeScript(scripts, 'resize', { name: 'Resize', tables }),
        plain: await writeScript(scripts, 'plain', { name: 'Plain' }),
      };
      const { home } = await startHob({ scripts: [scripts] });
      const folder = await tempFolder();
      const files = ['use.py'];
      await writeFile(join(folder, 'use.py'), userOfTypes);
      for (const [script, id] of Object.entries(ids)) {
        const { stdout } = await runCli(['types', id, '--python', '--home', home]).ended;
        await writeFile(join(folder, `${script}.py`), stdout);
        files.push(`${script}.py`);
      }
      const paths = files.map((file) => join(folder, file));
      expect(await check(folder, paths)).toContain(success);

      const wrong = join(folder, 'wrong.py');
      await writeFile(wrong, wrongUser);
      const text = await check(folder, [...paths, wrong]);
      expect(text).toMatch(/wrong\.py:4\b/);
      expect(text).toContain('"mode"');
      expect(text).toMatch(/wrong\.py:5\b/);
      expect(text).toContain('"speed"');
    });
  });
}
