import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { tempFolder } from './hob.ts';

/** Packs files, given as JSON of names and texts, into a zip file. */
const packer = `
import json, sys, zipfile
job = json.load(sys.stdin)
with zipfile.ZipFile(job["path"], "w") as archive:
    for name, text in job["files"]:
        archive.writestr(name, text)
`;

interface WheelOptions {
  /** Additional lines of the metadata, such as its own requirements. */
  metadata?: string[];
  /** The text of the module. */
  text?: string;
}

/** Writes a Python package into a folder, installable without an index. Its module prints its version. */
export async function makeWheel(
  folder: string,
  name: string,
  version: string,
  { metadata = [], text = '' }: WheelOptions = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}-${version}-py3-none-any.whl`);
  const info = `${name}-${version}.dist-info`;
  const about = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, ...metadata, ''].join('\n');
  const wheel = 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const files = [
    [`${name}/__init__.py`, `version = "${version}"\n${text}`],
    [`${info}/METADATA`, about],
    [`${info}/WHEEL`, wheel],
    [`${info}/RECORD`, `${name}/__init__.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`],
  ];
  execFileSync('python3', ['-c', packer], { input: JSON.stringify({ path, files }) });
  return path;
}

/** Writes a Node.js package into a folder, as a registry would serve it. Its module prints its version. */
export async function makeTarball(
  folder: string,
  name: string,
  version: string,
  described: Record<string, unknown> = {},
): Promise<string> {
  const draft = await tempFolder();
  await mkdir(join(draft, 'package'));
  await writeFile(
    join(draft, 'package', 'package.json'),
    JSON.stringify({ name, version, main: 'index.js', ...described }),
  );
  await writeFile(join(draft, 'package', 'index.js'), `module.exports = { version: '${version}' };\n`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}-${version}.tgz`);
  execFileSync('tar', ['-czf', path, '-C', draft, 'package']);
  return path;
}
