import { describe, expect, it } from 'vitest';

import type { FromWindow } from '../../execution/window-messages.ts';
import { spawnInWindow } from './spawn-in-window.ts';

interface Options {
  file?: string;
  env?: Record<string, string>;
  /** Number of chunks to accept. */
  room?: number;
}

function spawnScript(program: string, { room = Number.POSITIVE_INFINITY, ...rest }: Options = {}) {
  const sent: FromWindow[] = [];
  const passed: [stream: string, bytes: Buffer][] = [];
  const request = { file: process.execPath, args: ['-e', program], isVerbatim: false, cwd: '/', env: {} };
  const script = spawnInWindow(
    { type: 'start', ...request, ...rest },
    {
      send: (message) => sent.push(message),
      pass: (...piece) => passed.push(piece) < room,
    },
  );
  const output = (stream: string) =>
    Buffer.concat(passed.flatMap(([name, bytes]) => (name === stream ? [bytes] : []))).toString();
  return { script, sent, passed, output };
}

async function runScript(program: string, options: Options = {}) {
  const { script, sent, output } = spawnScript(program, options);
  await script.written;
  return {
    types: [...new Set(sent.map(({ type }) => type))],
    exit: sent.find((message) => message.type === 'exited'),
    stdout: output('stdout'),
    stderr: output('stderr'),
  };
}

describe('spawnInWindow', () => {
  it('passes on the output of the script and reports its end', async () => {
    const seen = await runScript(
      'process.stdout.write(process.env.WHO + "\\n"); process.stderr.write("错\\n"); process.exitCode = 7',
      { env: { WHO: '世界' } },
    );
    expect(seen).toMatchObject({
      exit: { code: 7, signal: null, error: null },
      stdout: '世界\n',
      stderr: '错\n',
    });
    expect(seen.types).toContain('spawned');
  });

  it('reports the signal that ended the script', async () => {
    const { exit } = await runScript('process.kill(process.pid, "SIGTERM")');
    expect(exit).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('reports why a script could not be started', async () => {
    const { exit, types } = await runScript('', { file: '/nowhere/at/all' });
    expect(exit).toMatchObject({ code: null, signal: null, error: 'ENOENT' });
    expect(types).toEqual(['exited']);
  });

  it('pauses the script while the receiver is full', async () => {
    const size = 10_000_000;
    const program = `process.stdout.write('x'.repeat(${size}))`;
    const { script, sent, passed, output } = spawnScript(program, { room: 3 });
    await expect.poll(() => passed.length).toBe(3);
    // The script is blocked, so it has not ended.
    expect(sent.map(({ type }) => type)).toEqual(['spawned']);
    const end = script.written.then(() => 'written');
    for (let state = ''; state !== 'written'; ) {
      script.resume();
      state = await Promise.race([end, new Promise<string>((resolve) => setImmediate(resolve, ''))]);
    }
    expect(output('stdout')).toHaveLength(size);
  });
});
