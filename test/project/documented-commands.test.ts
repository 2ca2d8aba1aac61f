import { spawn } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { testPath } from '../support/needs.ts';

interface Step {
  command: string;
  /** The output that the page shows, if any. */
  shown: { kind: string; text: string } | null;
}

/** The commands on a page, each with the output that the page shows below it. */
async function stepsOf(page: string): Promise<Step[]> {
  const text = await readFile(join(projectRoot, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = '', body = '']) => ({
    kind,
    text: body,
  }));
  return blocks.flatMap((block, index) => {
    if (block.kind !== 'sh') return [];
    const next = blocks[index + 1];
    return [
      {
        command: block.text,
        shown: next === undefined || next.kind === 'sh' || next.kind === 'console' ? null : next,
      },
    ];
  });
}

function runBash(
  script: string,
  env: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-s'], { cwd: projectRoot, env: { ...process.env, ...env }, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += String(chunk);
  });
  child.stdin.end(script);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })));
}

/** Fields whose number depends on the time or the disk. */
const volatile = new Set(['duration_ms', 'total_bytes', 'bytes', 'left_running']);

/** Replaces the parts of an output that differ between readers: temporary folders, ids, times and sizes. */
function stable(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    return value
      .replace(/\/tmp\/tmp\.\w+/g, 'TEMP')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/\b[\d.]+ m?s\b/g, 'DURATION')
      .replace(/takes \S+,/, 'takes SIZE,');
  }
  // Some fields are null until their value is known.
  if (typeof value === 'number' || value === null) return volatile.has(key) ? 'NUMBER' : value;
  if (Array.isArray(value)) return value.map((item) => stable(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, stable(item, name)]));
}

/** A page shows either the whole answer or only the envelope in it. */
function compareJson(shown: string, printed: string, command: string): void {
  const promised: unknown = JSON.parse(shown);
  const answer: unknown = JSON.parse(printed.split('\n').find((line) => line.startsWith('{')) ?? '');
  const isWhole =
    typeof answer === 'object' && answer !== null && !('result' in answer && !('result' in Object(promised)));
  expect(stable(isWhole ? answer : Reflect.get(Object(answer), 'result')), command).toEqual(stable(promised));
}

/** A folder for PATH that has the command `hob`. */
async function folderWithHob(): Promise<string> {
  const folder = await tempFolder();
  await symlink(join(projectRoot, 'bin', 'hob.js'), join(folder, 'hob'));
  return folder;
}

describe.each([
  { page: 'examples/README.md', shows: 18 },
  { page: 'docs/tutorial.md', shows: 8 },
  { page: 'docs/desktop.md', shows: 2 },
  { page: 'README.md', shows: 2 },
  { page: 'README.zh-CN.md', shows: 2 },
])('$page', ({ page, shows }) => {
  it('prints the output that it shows for each of its commands', async () => {
    const steps = await stepsOf(page);
    expect(steps.filter(({ shown }) => shown !== null)).toHaveLength(shows);
    // On a machine that has the model, the answer would be another one.
    const env = { HF_HUB_CACHE: await tempFolder() };
    const hob = await startHob({ scripts: [join(projectRoot, 'examples')], env });
    // A line that no command prints separates the outputs of the blocks.
    const script = [
      'set -euo pipefail',
      // The commands of `hob` write to both streams, and the tutorial shows what its reader sees.
      ...(page === 'docs/tutorial.md' ? ['exec 2>&1'] : []),
      ...steps.flatMap(({ command }) => [command, 'echo; echo "=== end of block"']),
    ].join('\n');
    const { code, stdout, stderr } = await runBash(
      script.replaceAll('http://127.0.0.1:9527', hob.url).replaceAll('~/.local/share/hob', hob.home),
      { PATH: `${await folderWithHob()}${delimiter}${testPath}`, HOB_HOME: hob.home, LC_ALL: 'C.UTF-8' },
    );
    expect({ code, stdout: code === 0 ? '' : stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    const outputs = stdout.split('=== end of block\n').slice(0, -1);
    expect(outputs).toHaveLength(steps.length);
    for (const [index, { command, shown }] of steps.entries()) {
      const output = outputs[index] ?? '';
      if (shown === null) continue;
      // Pages show the default address and a home below /home/ada.
      const text = shown.text
        .replaceAll('http://127.0.0.1:9527', hob.url)
        .replaceAll('/home/ada/.local/share/hob', hob.home);
      if (shown.kind === 'json') compareJson(text, output, command);
      else
        for (const line of text.split('\n'))
          expect(String(stable(output)), command).toContain(String(stable(line)));
    }
  });
});
