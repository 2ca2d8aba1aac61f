import { describe, expect, it } from 'vitest';

import type { FromWindow } from '../../execution/window-messages.ts';
import { spawnInWindow } from './spawn-in-window.ts';

async function spawnScript(program: string, rest: { file?: string; env?: Record<string, string> } = {}) {
  const told: FromWindow[] = [];
  const shown: Buffer[] = [];
  await spawnInWindow(
    {
      type: 'start',
      file: process.execPath,
      args: ['-e', program],
      isVerbatim: false,
      cwd: '/',
      env: {},
      ...rest,
    },
    { tell: (message) => told.push(message), show: (bytes) => shown.push(bytes) },
  );
  const output = (stream: string) =>
    Buffer.concat(
      told.flatMap((message) =>
        message.type === 'output' && message.stream === stream ? [Buffer.from(message.base64, 'base64')] : [],
      ),
    ).toString();
  return {
    types: [...new Set(told.map(({ type }) => type))],
    exit: told.find((message) => message.type === 'exited'),
    stdout: output('stdout'),
    stderr: output('stderr'),
    shown: Buffer.concat(shown).toString(),
  };
}

describe('spawnInWindow', () => {
  it('tells what the script writes and how it ends, and shows it', async () => {
    const seen = await spawnScript(
      'process.stdout.write(process.env.WHO + "\\n"); process.stderr.write("错\\n"); process.exitCode = 7',
      { env: { WHO: '世界' } },
    );
    expect(seen).toMatchObject({
      exit: { code: 7, signal: null, error: null },
      stdout: '世界\n',
      stderr: '错\n',
    });
    expect(seen.shown.split('\n').toSorted()).toEqual(['', '世界', '错']);
    expect(seen.types).toContain('spawned');
  });

  it('tells the signal that ended the script', async () => {
    const { exit } = await spawnScript('process.kill(process.pid, "SIGTERM")');
    expect(exit).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('tells why a script could not be started', async () => {
    const { exit, types } = await spawnScript('', { file: '/nowhere/at/all' });
    expect(exit).toMatchObject({ code: null, signal: null, error: 'ENOENT' });
    expect(types).toEqual(['exited']);
  });
});
