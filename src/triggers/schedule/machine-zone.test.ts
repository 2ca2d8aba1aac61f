import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { machineZone } from './machine-zone.ts';

const ofNode = Intl.DateTimeFormat().resolvedOptions().timeZone;

it('follows the link to the zone of the machine while the process runs', async () => {
  const folder = await tempFolder();
  const link = join(folder, 'localtime');
  await symlink('/usr/share/zoneinfo/Asia/Kathmandu', link);
  expect(machineZone(undefined, folder)).toBe('Asia/Kathmandu');
  await rm(link);
  await symlink('/var/db/timezone/zoneinfo/America/Argentina/Ushuaia', link);
  expect(machineZone(undefined, folder)).toBe('America/Argentina/Ushuaia');
});

it('reads the name of the zone where the link is a file', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'localtime'), 'TZif2');
  await writeFile(join(folder, 'timezone'), 'Europe/Berlin\n');
  expect(machineZone(undefined, folder)).toBe('Europe/Berlin');
});

it('uses the zone that Node knows if TZ is set, if there are no files, or if they name no zone', async () => {
  const folder = await tempFolder();
  expect(machineZone(undefined, folder)).toBe(ofNode);
  await writeFile(join(folder, 'timezone'), 'Mars/Olympus');
  expect(machineZone(undefined, folder)).toBe(ofNode);
  await writeFile(join(folder, 'timezone'), 'Europe/Berlin');
  expect(machineZone(':/etc/localtime', folder)).toBe(ofNode);
});
