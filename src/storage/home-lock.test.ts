import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { lockHome } from './home-lock.ts';

/** Starts another process that tries to lock the home, prints the result, and runs until it is killed. */
async function tryInAnotherProcess(home: string): Promise<{ said: string; child: ChildProcess }> {
  const script = join(await tempFolder(), 'lock.mjs');
  await writeFile(
    script,
    `import { lockHome } from ${JSON.stringify(new URL('./home-lock.ts', import.meta.url).href)};
const lock = lockHome(process.argv[2]);
console.log(lock === null ? 'refused' : 'locked');
process.stdin.resume();
process.stdin.on('end', () => process.exit());
globalThis.lock = lock;
`,
  );
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, home], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [said] = await once(createInterface({ input: child.stdout }), 'line');
  return { said: String(said), child };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

describe('the lock of a home', () => {
  it('excludes a second process while the first lives, and ends with it', async () => {
    const home = await tempFolder();
    const first = await tryInAnotherProcess(home);
    expect(first.said).toBe('locked');
    const second = await tryInAnotherProcess(home);
    expect(second.said).toBe('refused');
    expect(lockHome(home)).toBeNull();
    await kill(first.child);
    const lock = lockHome(home);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it('excludes other processes and the same process until it is released', async () => {
    const home = await tempFolder();
    const lock = lockHome(home);
    onTestFinished(() => lock?.release());
    expect(lock).not.toBeNull();
    expect(lockHome(home)).toBeNull();
    // A refused attempt of this process must not release the lock.
    expect((await tryInAnotherProcess(home)).said).toBe('refused');
    lock?.release();
    expect((await tryInAnotherProcess(home)).said).toBe('locked');
  });

  it('is separate for each home, in a file that only its user can read', async () => {
    const [home, other] = [await tempFolder(), await tempFolder()];
    const locks = [lockHome(home), lockHome(other)];
    onTestFinished(() => {
      for (const lock of locks) lock?.release();
    });
    expect(locks).not.toContain(null);
    expect((await stat(join(home, 'service.lock'))).mode & 0o777).toBe(0o600);
  });

  it('throws if the home does not exist', async () => {
    const home = join(await tempFolder(), 'none');
    expect(() => lockHome(home)).toThrow();
  });
});
