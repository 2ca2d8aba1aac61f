import { join } from 'node:path';

import { pino } from 'pino';
import { expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { MemoryFolder, memoryFolderOf } from '../runs/memory-folder.ts';
import { runFolderAt } from '../runs/run-folder.ts';
import { homeOfRun } from './run-variables.ts';

const hasMemory = has('a file system in memory (/dev/shm)', process.platform === 'linux');

it('the home of a run is found by the path of its parameter file on the disk', async () => {
  const file = runFolderAt(join('/home/ada/hob', 'runs'), 'run').parameterFile;
  expect(homeOfRun({ HOB_PARAMETER_FILE: file })).toBe('/home/ada/hob');
  expect(homeOfRun({ HOB_PARAMETER_FILE: file, HOB_HOME: '/elsewhere' })).toBeNull();
  expect(homeOfRun({})).toBeNull();
  expect(homeOfRun({ HOB_PARAMETER_FILE: '/nowhere/of/ours.json' })).toBeNull();
});

it.skipIf(!hasMemory)('and in memory, also when the file is gone', async () => {
  const home = await tempFolder();
  const memory = MemoryFolder.open(home, { takesFiles: true, log: pino({ level: 'silent' }) });
  expect(memory?.path).toBe(memoryFolderOf(home));
  expect(homeOfRun({ HOB_PARAMETER_FILE: memory?.fileOf('run') })).toBe(home);
});
