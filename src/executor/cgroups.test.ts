import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { isRunning, untilGone } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { startShell, untilSo } from '../../test/support/shells.ts';
import { Cgroups, cgroupAt, ownCgroup, removeCgroups } from './cgroups.ts';

/** A line of mountinfo: the type of the mounted file system, its mount point, and which part of it is mounted. */
const mount = (type: string, mountPoint: string, root = '/') =>
  `41 31 0:38 ${root} ${mountPoint} rw,nosuid,relatime shared:9 - ${type} ${type} rw,nsdelegate`;

const proc = '22 1 0:20 / /proc rw,relatime - proc proc rw';

describe('our own cgroup', () => {
  it('is below /sys/fs/cgroup where only version 2 is mounted', () => {
    const mounts = [proc, mount('cgroup2', '/sys/fs/cgroup')].join('\n');
    expect(ownCgroup(mounts, '0::/user.slice/user-1000.slice/session-2.scope\n')).toBe(
      '/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope',
    );
  });

  it('is the mount point itself for a process in the root cgroup', () => {
    expect(ownCgroup(mount('cgroup2', '/sys/fs/cgroup'), '0::/\n')).toMatch(/^\/sys\/fs\/cgroup\/?$/);
  });

  it('is below the unified mount where both versions are in use', () => {
    const mounts = [
      mount('tmpfs', '/sys/fs/cgroup'),
      mount('cgroup', '/sys/fs/cgroup/pids'),
      mount('cgroup', '/sys/fs/cgroup/systemd'),
      mount('cgroup2', '/sys/fs/cgroup/unified'),
      proc,
    ].join('\n');
    const membership = '9:name=systemd:/wrong\n8:pids:/wrong\n0::/user.slice\n';
    expect(ownCgroup(mounts, membership)).toBe('/sys/fs/cgroup/unified/user.slice');
  });

  it('is found in the part of the tree that a container has mounted', () => {
    const mounts = mount('cgroup2', '/sys/fs/cgroup', '/docker/4f5a');
    expect(ownCgroup(mounts, '0::/docker/4f5a/service\n')).toBe('/sys/fs/cgroup/service');
    expect(ownCgroup(mounts, '0::/docker/4f5a\n')).toBe('/sys/fs/cgroup');
  });

  it('is null in a container that has another part of the tree mounted', () => {
    const mounts = mount('cgroup2', '/sys/fs/cgroup', '/docker/4f5a');
    expect(ownCgroup(mounts, '0::/docker/4f5a77\n')).toBeNull();
    expect(ownCgroup(mounts, '0::/\n')).toBeNull();
  });

  it('is found through the mount that contains it when there are several', () => {
    const mounts = [
      mount('cgroup2', '/elsewhere', '/other'),
      mount('cgroup2', '/sys/fs/cgroup', '/docker/4f5a'),
    ].join('\n');
    expect(ownCgroup(mounts, '0::/docker/4f5a/x\n')).toBe('/sys/fs/cgroup/x');
  });

  it('is found where the mount point has spaces, tabs and backslashes in its name', () => {
    const mounts = mount('cgroup2', '/mnt/my\\040own\\011back\\134slash');
    expect(ownCgroup(mounts, '0::/a\n')).toBe('/mnt/my own\tback\\slash/a');
  });

  it('is found in a line without optional fields, and in one with many', () => {
    const rest = '- cgroup2 cgroup2 rw';
    expect(ownCgroup(`41 31 0:38 / /a rw ${rest}`, '0::/x\n')).toBe('/a/x');
    expect(ownCgroup(`41 31 0:38 / /a rw shared:1 master:2 unbindable ${rest}`, '0::/x\n')).toBe('/a/x');
  });

  it('is null where there is no version 2', () => {
    const versionOne = [mount('tmpfs', '/sys/fs/cgroup'), mount('cgroup', '/sys/fs/cgroup/pids')].join('\n');
    expect(ownCgroup(versionOne, '1:pids:/a\n')).toBeNull();
    // The kernel supports version 2, but it is not mounted.
    expect(ownCgroup(versionOne, '1:pids:/a\n0::/\n')).toBeNull();
    expect(ownCgroup(mount('cgroup2', '/sys/fs/cgroup'), '1:pids:/a\n')).toBeNull();
    expect(ownCgroup('', '')).toBeNull();
  });
});

const canHave = has('a cgroup of our own (root on Linux, version 2)', canHaveCgroup());

function canHaveCgroup(): boolean {
  const cgroups = Cgroups.open(`hob-probe-${randomUUID()}`);
  cgroups?.close();
  return cgroups !== null;
}

/** The cgroups of an executor. They are removed when the test ends and their processes have been killed. */
function openCgroups(): Cgroups {
  const cgroups = Cgroups.open(`hob-test-${randomUUID()}`);
  if (cgroups === null) throw new Error('cannot create a cgroup');
  onTestFinished(() =>
    untilSo(() => {
      cgroups.close();
      return !existsSync(cgroups.folder);
    }),
  );
  return cgroups;
}

function openForRun() {
  const cgroups = openCgroups();
  const cgroup = cgroups.forRun('run');
  if (cgroup === null) throw new Error('cannot create a cgroup');
  onTestFinished(() => cgroup.kill());
  return { cgroups, cgroup, folder: join(cgroups.folder, 'run') };
}

describe.skipIf(!canHave)('the cgroup of a run', () => {
  it('contains its script, the children forked earlier, and those forked later', async () => {
    const { cgroup } = openForRun();
    const shell = startShell(
      'sh -c "sleep 600 & echo grandchild \\$!; exec sleep 600" & echo child $!; read go; sleep 600 & echo later $!; exec sleep 600',
    );
    const early = [shell.pid, await shell.said('child'), await shell.said('grandchild')];
    await cgroup.adopt(shell.pid);
    expect(new Set(cgroup.pids())).toEqual(new Set(early));
    shell.tell('go');
    const later = await shell.said('later');
    expect(new Set(cgroup.pids())).toEqual(new Set([...early, later]));
  });

  it('contains processes that left their session, their parents and their environment, and kills them', async () => {
    const { cgroup } = openForRun();
    const shell = startShell(
      'read go; (setsid env -i /bin/sh -c "sleep 600 & echo hidden \\$!" &); exec sleep 600',
    );
    await cgroup.adopt(shell.pid);
    shell.tell('go');
    const hidden = await shell.said('hidden');
    await untilSo(() => cgroup.pids().length === 2);
    expect(new Set(cgroup.pids())).toEqual(new Set([shell.pid, hidden]));
    expect(readFileSync(`/proc/${hidden}/environ`, 'latin1')).not.toContain(shell.runId);
    cgroup.kill();
    expect(await shell.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await untilGone(hidden);
    await untilSo(() => cgroup.pids().length === 0);
  });

  it('is removed when it is empty, and not before', async () => {
    const { cgroup, folder } = openForRun();
    const shell = startShell('exec sleep 600');
    await cgroup.adopt(shell.pid);
    cgroup.remove();
    expect(existsSync(folder)).toBe(true);
    expect(await isRunning(shell.pid)).toBe(true);
    expect(cgroup.pids()).toEqual([shell.pid]);
    cgroup.kill();
    await shell.exited;
    await untilSo(() => cgroup.pids().length === 0);
    cgroup.remove();
    expect(existsSync(folder)).toBe(false);
  });

  it('ignores processes that have ended, and calls after it was removed', async () => {
    const { cgroup } = openForRun();
    const shell = startShell('exit 0');
    await shell.exited;
    await cgroup.adopt(shell.pid);
    expect(cgroup.pids()).toEqual([]);
    cgroup.remove();
    cgroup.remove();
    cgroup.kill();
    await cgroup.adopt(process.pid);
    expect(cgroup.pids()).toEqual([]);
  });

  it('can be opened again by its folder', async () => {
    const { cgroup, folder } = openForRun();
    const shell = startShell('exec sleep 600');
    await cgroup.adopt(shell.pid);
    expect(cgroupAt(folder).pids()).toEqual([shell.pid]);
    cgroupAt(folder).kill();
    expect((await shell.exited).signal).toBe('SIGKILL');
  });

  it('can be created only once', () => {
    const { cgroups } = openForRun();
    expect(cgroups.forRun('run')).toBeNull();
    expect(cgroups.forRun('other')).not.toBeNull();
  });
});

describe.skipIf(!canHave)('the cgroups of an executor', () => {
  it('are removed with it, except those in use', async () => {
    const { cgroups, cgroup, folder } = openForRun();
    cgroups.forRun('empty');
    const shell = startShell('exec sleep 600');
    await cgroup.adopt(shell.pid);
    cgroups.close();
    expect(existsSync(join(cgroups.folder, 'empty'))).toBe(false);
    expect(existsSync(folder)).toBe(true);
    expect(await isRunning(shell.pid)).toBe(true);
    cgroup.kill();
    await shell.exited;
    await untilSo(() => cgroup.pids().length === 0);
    removeCgroups(cgroups.folder);
    expect(existsSync(cgroups.folder)).toBe(false);
    removeCgroups(cgroups.folder);
  });

  it('are not created under a name that is in use', () => {
    const cgroups = openCgroups();
    const name = cgroups.folder.slice(cgroups.folder.lastIndexOf('/') + 1);
    expect(Cgroups.open(name)).toBeNull();
    expect(existsSync(cgroups.folder)).toBe(true);
  });
});
