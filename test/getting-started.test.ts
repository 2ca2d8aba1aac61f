import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from './support/hob.ts';
import { testPath } from './support/needs.ts';

interface Step {
  command: string;
  /** What the page shows as its output, if it does. */
  shown: { kind: string; text: string } | null;
}

/** The commands that a page tells its reader to type, each with the output it promises. */
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

function runBash(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-s'], {
    cwd: projectRoot,
    env: { ...process.env, PATH: testPath },
    stdio: 'pipe',
  });
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

/** Numbers that depend on the moment or the disk, not on what was asked. */
const volatile = new Set([
  'uptime_s',
  'duration_ms',
  'total_bytes',
  'bytes',
  'running',
  'left_running',
  'pid',
]);

/** What depends on the machine. */
const local = new Set(['containment', 'desktop', 'short_of_memory']);

/** What of a shown output must be the same for every reader: temp folders, ids, times and sizes are not. */
function stable(value: unknown, key = ''): unknown {
  if (local.has(key)) return 'LOCAL';
  if (typeof value === 'string') {
    return value
      .replace(/\/tmp\/tmp\.\w+/g, 'TEMP')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/takes \S+,/, 'takes SIZE,');
  }
  // Some are null for a moment, until they are known.
  if (typeof value === 'number' || value === null) return volatile.has(key) ? 'NUMBER' : value;
  if (Array.isArray(value)) return value.map((item) => stable(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, stable(item, name)]));
}

/** Shown is the whole answer, or only the envelope in it. */
function compareJson(shown: string, printed: string, command: string): void {
  const promised: unknown = JSON.parse(shown);
  const answer: unknown = JSON.parse(printed.split('\n').find((line) => line.startsWith('{')) ?? '');
  const isWhole =
    typeof answer === 'object' && answer !== null && !('result' in answer && !('result' in Object(promised)));
  expect(stable(isWhole ? answer : Reflect.get(Object(answer), 'result')), command).toEqual(stable(promised));
}

describe.each([
  { page: 'docs/getting-started.md', least: 4 },
  { page: 'docs/notifications.md', least: 2 },
  { page: 'README.md', least: 4 },
  { page: 'README.zh-CN.md', least: 4 },
])('$page', ({ page, least }) => {
  it('has commands that do what it says, every one of them', async () => {
    const steps = await stepsOf(page);
    expect(steps.length).toBeGreaterThanOrEqual(least);
    // A machine that has the model would rightly answer otherwise.
    const env = { HF_HUB_CACHE: await tempFolder() };
    const hob = await startHob({ scripts: [join(projectRoot, 'examples')], env });
    // What each block prints is told apart by a line that no command prints.
    const script = [
      'set -euo pipefail',
      ...steps.flatMap(({ command }) => [command, 'echo; echo "=== end of block"']),
    ].join('\n');
    const { code, stdout, stderr } = await runBash(
      script.replaceAll('http://127.0.0.1:9527', hob.url).replaceAll('~/.local/share/hob', hob.home),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const outputs = stdout.split('=== end of block\n').slice(0, -1);
    expect(outputs).toHaveLength(steps.length);
    let compared = 0;
    for (const [index, { command, shown }] of steps.entries()) {
      const output = outputs[index] ?? '';
      if (shown === null) continue;
      compared++;
      if (shown.kind === 'json') compareJson(shown.text, output, command);
      else
        for (const line of shown.text.split('\n'))
          expect(String(stable(output)), command).toContain(String(stable(line)));
    }
    expect(compared).toBeGreaterThanOrEqual(least);
  });
});
