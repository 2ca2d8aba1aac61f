import { text } from 'node:stream/consumers';

import { describe, expect, it } from 'vitest';

import { runLongCommand } from '../../src/shared/run-command.ts';
import { tempFolder } from '../support/hob.ts';
import { processesWith } from '../support/processes.ts';
import { until } from '../support/until.ts';

/** A shell with a unique variable, by which it and all its children are found. */
async function shell(command: string, options: Partial<Parameters<typeof runLongCommand>[2]> = {}) {
  const mark = await tempFolder();
  const running = runLongCommand('sh', ['-c', command], {
    env: { ...process.env, TEST_MARK: mark },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...options,
  });
  const alive = () => processesWith(`TEST_MARK=${mark}`);
  const gone = () => until('all of it is gone', async () => (await alive()).length === 0);
  return { running, alive, gone };
}

describe('a helper command that may take long', () => {
  it('forwards its output, and returns how it ended', async () => {
    let written = '';
    const onOutput = async (stdout: NodeJS.ReadableStream) => {
      written = await text(stdout);
    };
    const { running } = await shell('head -c 3000000 /dev/zero; echo why >&2; exit 3', { onOutput });
    expect(await running).toMatchObject({ ok: false, failure: 'exit code 3', stderr: 'why\n' });
    expect(written).toHaveLength(3_000_000);
  });

  it('has neither a terminal nor an input', async () => {
    const { running } = await shell(
      'if read x; then exit 1; fi; if (: < /dev/tty) 2> /dev/null; then exit 2; fi',
    );
    expect(await running).toMatchObject({ ok: true, failure: '' });
  });

  it('is killed with all its children when it takes too long', async () => {
    const { running, gone } = await shell('sleep 1000 & sleep 1000', { timeoutMs: 200 });
    expect(await running).toMatchObject({ ok: false, failure: 'no answer in time' });
    await gone();
  });

  it('is killed with all its children when the caller cancels', async () => {
    const stop = new AbortController();
    const { running, alive, gone } = await shell('sleep 1000 & sleep 1000', { signal: stop.signal });
    await until('all of it runs', async () => (await alive()).length >= 3);
    stop.abort();
    expect(await running).toMatchObject({ ok: false, failure: 'stopped' });
    await gone();
  });

  it('is killed when the caller rejects its output, with the reason of that', async () => {
    const onOutput = () => Promise.reject(new Error('not that'));
    const { running, gone } = await shell('yes', { onOutput });
    await expect(running).rejects.toThrow('not that');
    await gone();
  });

  it('is not awaited if it left a process behind that holds its stderr', async () => {
    const { running, alive } = await shell('setsid sleep 1000 & exit 0');
    expect(await running).toMatchObject({ ok: true });
    for (const pid of await alive()) process.kill(pid, 'SIGKILL');
  });

  it('that does not exist is reported', async () => {
    const options = { timeoutMs: 1000, signal: new AbortController().signal };
    expect(await runLongCommand('/nowhere/at-all', [], options)).toMatchObject({
      ok: false,
      failure: 'ENOENT',
    });
    const stopped = { timeoutMs: 1000, signal: AbortSignal.abort() };
    expect(await runLongCommand('sh', [], stopped)).toMatchObject({ ok: false, failure: 'stopped' });
  });
});
