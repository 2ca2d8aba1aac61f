import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';

interface Example {
  manifest: string;
  entry: string;
  id: string;
  language: string;
  text: string;
  envelope: Record<string, unknown>;
}

/** The examples of the page. Each is a manifest, its entry, and the envelope that the page promises. */
async function examplesOf(page: string): Promise<Example[]> {
  const text = await readFile(join(projectRoot, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, body = '']) => ({
    kind,
    body,
  }));
  const valueIn = (manifest: string, key: string) =>
    new RegExp(`^${key} = "(.*)"$`, 'm').exec(manifest)?.[1] ?? '';
  return blocks.flatMap(({ kind, body: manifest }, index) => {
    // Other manifests of the page have no envelope.
    if (kind !== 'toml' || blocks[index + 2]?.kind !== 'json') return [];
    const [entry, envelope] = [blocks[index + 1]?.body ?? '', blocks[index + 2]?.body ?? ''];
    return [
      {
        manifest,
        entry: valueIn(manifest, 'entry'),
        id: valueIn(manifest, 'id'),
        language: valueIn(manifest, 'language'),
        text: entry,
        envelope: JSON.parse(envelope),
      },
    ];
  });
}

it('every example on the page about writing scripts works as described', async () => {
  const examples = await examplesOf('docs/writing-scripts.md');
  expect(examples.map(({ language }) => language)).toEqual([
    'python',
    'node.js',
    'typescript',
    'bash',
    'powershell',
  ]);
  const scripts = await tempFolder();
  for (const { entry, manifest, text, language } of examples) {
    const folder = join(scripts, language);
    await mkdir(folder);
    await writeFile(join(folder, 'script.toml'), manifest);
    await writeFile(join(folder, entry), text);
  }
  const hob = await startHob({ scripts: [scripts] });
  const inputs = join(await tempFolder(), '我的 files');
  await mkdir(inputs);
  await writeFile(join(inputs, 'notes.txt'), 'milk\n\nbread\n');
  for (const { id, language, envelope } of examples) {
    if (language === 'powershell' && !has('pwsh', findProgram('pwsh') !== null)) continue;
    const data = { files: [join(inputs, 'notes.txt')] };
    const { body } = await hob.run(id, { data });
    const shown: unknown = JSON.parse(JSON.stringify(body.result).replaceAll(`${inputs}/`, ''));
    expect({ language, stderr: body.stderr, result: shown }).toEqual({
      language,
      stderr: '',
      result: envelope,
    });
    const empty = await hob.run(id);
    if (language !== 'powershell') expect({ language, ...empty.body }).toMatchObject({ success: false });
  }
});
