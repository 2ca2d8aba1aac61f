import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { has } from '../../../test/support/needs.ts';
import { openWarmScene, programs, seeThrough, type WarmScene } from '../../../test/support/warm-scene.ts';
import { runCookie } from '../../execution/messages.ts';
import type { Order, WarmInterpreter } from './fork-server.ts';
import type { InterpreterSpec } from './host-command.ts';
import { type PrestartFailure, prestart } from './warm-group.ts';

const isHere = has('the memory of a process as a file', existsSync('/proc/self/mem'));

function start(scene: WarmScene, spec: InterpreterSpec): Promise<WarmInterpreter | PrestartFailure> {
  const { signal } = new AbortController();
  return prestart(spec, { program: programs['node.js'], processes: scene.processes, signal });
}

async function startNode(scene: WarmScene): Promise<WarmInterpreter> {
  const interpreter = await start(scene, nodeOf(scene));
  if (typeof interpreter === 'string') throw new Error(`the interpreter is ${interpreter}`);
  return interpreter;
}

function nodeOf(scene: WarmScene): InterpreterSpec {
  return scene.python({ language: 'node.js', file: process.execPath });
}

async function orderOf(scene: WarmScene, text: string, args: string[]): Promise<Order> {
  const entry = join(scene.folder, '主 main.cjs');
  await writeFile(entry, text);
  return { ...(await scene.order('', { args })), file: process.execPath, entry };
}

describe.skipIf(!isHere)('a warm Node', () => {
  it('shows the command line of its run, up to the last available byte', async () => {
    const scene = await openWarmScene();
    const interpreter = await startNode(scene);
    const text = 'process.stdout.write(require("node:fs").readFileSync("/proc/self/cmdline"))';
    const order = await orderOf(scene, text, ['两 words', '']);
    const long = 'x'.repeat(8192 - Buffer.byteLength(`${[order.entry, ...order.args].join('\0')}\0\0`));
    const args = [...order.args, long];
    expect(interpreter.give({ ...order, args })).toBe(true);
    const { code, stdout, stderr } = await seeThrough(interpreter);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.replace(/\0+$/, '')).toBe([process.execPath, order.entry, ...args].join('\0'));
  });

  it('refuses a command line that is too long', async () => {
    const scene = await openWarmScene();
    const interpreter = await startNode(scene);
    onTestFinished(() => interpreter.discard());
    expect(interpreter.give(await orderOf(scene, '', ['x'.repeat(8192)]))).toBe(false);
  });

  it('is unfit if a script could distinguish it from a new one', async () => {
    const scene = await openWarmScene();
    const { [runCookie]: _, ...env } = nodeOf(scene).env;
    expect(await start(scene, { ...nodeOf(scene), env })).toBe('unfit');
    await scene.noneLeft();
  });
});
