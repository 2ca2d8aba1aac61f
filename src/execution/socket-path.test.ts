import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { socketPathIn, throughLink, throughShortPath } from './socket-path.ts';

async function useTemp(): Promise<string> {
  const folder = await tempFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return folder;
}

async function longPath(): Promise<string> {
  const folder = join(await tempFolder(), '很长 的 路径 '.repeat(8).trim());
  await mkdir(folder);
  return socketPathIn(folder, '1-x');
}

describe('the path of a socket', () => {
  it('is used unchanged where it is short enough', () => {
    const path = socketPathIn('/home/ada/hob', '1-x');
    expect(path).toBe('/home/ada/hob/1-x.sock');
    expect(throughShortPath(path, (short) => short)).toBe(path);
  });

  it.each([
    ['by the method of this system', throughShortPath],
    ['by a link', throughLink],
  ])('is replaced by a short one while the socket is opened, %s', async (_way, through) => {
    const path = await longPath();
    const temp = await useTemp();
    const server = createServer((socket) => socket.end('hello'));
    onTestFinished(() => {
      server.close();
    });
    await new Promise<void>((resolve) => {
      // The short path ends with the call, before the server reports that it listens.
      through(path, (short) => server.listen(short, resolve));
    });
    expect((await stat(path)).isSocket()).toBe(true);
    const socket = through(path, (short) => connect(short));
    const heard = await new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', (data) => resolve(String(data)));
    });
    expect(heard).toBe('hello');
    expect(await readdir(temp)).toEqual([]);
  });

  it.each([throughShortPath, throughLink])('reports ENOENT where there is no socket', async (through) => {
    const path = await longPath();
    const socket = through(path, (short) => connect(short));
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error).toMatchObject({ code: 'ENOENT' });
    expect(existsSync(path)).toBe(false);
  });
});
