import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { findBusAddress } from './bus-address.ts';

async function folderWithBus(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-bus-'));
  const server = createServer().listen(join(folder, 'bus'));
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  return folder;
}

describe('the address of the session bus', () => {
  it.each([
    ['unix:path=/run/user/1000/bus', '/run/user/1000/bus'],
    ['unix:path=/tmp/a%20b%e4%b8%ad,guid=0123', '/tmp/a b中'],
    ['unix:guid=0123,path=/tmp/a=b', '/tmp/a=b'],
    ['unix:abstract=/tmp/dbus-xyz,guid=0123', '\0/tmp/dbus-xyz'],
    ['tcp:host=elsewhere,port=1;unix:path=/tmp/second', '/tmp/second'],
  ])('%s names a socket', (address, path) => {
    expect(findBusAddress({ DBUS_SESSION_BUS_ADDRESS: address })?.path).toBe(path);
  });

  it.each([
    [{}],
    [{ DBUS_SESSION_BUS_ADDRESS: '' }],
    [{ DBUS_SESSION_BUS_ADDRESS: 'autolaunch:' }],
    [{ DBUS_SESSION_BUS_ADDRESS: 'unixexec:path=/usr/bin/evil' }],
    [{ DBUS_SESSION_BUS_ADDRESS: 'disabled:' }],
    [{ XDG_RUNTIME_DIR: '/nowhere' }],
    [{ XDG_RUNTIME_DIR: '' }],
  ])('%j names no socket', (environment) => {
    expect(findBusAddress(environment)).toBeNull();
  });

  it('is in XDG_RUNTIME_DIR if no other variable names it', async () => {
    const folder = await folderWithBus();
    expect(findBusAddress({ XDG_RUNTIME_DIR: folder })?.path).toBe(join(folder, 'bus'));
    expect(
      findBusAddress({ XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: 'unix:runtime=yes' })?.path,
    ).toBe(join(folder, 'bus'));
  });

  it('is null if the path is a file instead of a socket', async () => {
    const folder = await folderWithBus();
    await rm(join(folder, 'bus'));
    await writeFile(join(folder, 'bus'), '');
    expect(findBusAddress({ XDG_RUNTIME_DIR: folder })).toBeNull();
  });

  it('distinguishes a new socket from an earlier one at the same path', async () => {
    const folder = await folderWithBus();
    const environment = { XDG_RUNTIME_DIR: folder };
    const first = findBusAddress(environment);
    expect(findBusAddress(environment)).toEqual(first);
    await rm(join(folder, 'bus'));
    const server = createServer().listen(join(folder, 'bus'));
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    expect(findBusAddress(environment)?.identity).not.toBe(first?.identity);
  });
});
