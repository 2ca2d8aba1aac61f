import { join } from 'node:path';

import { expect, it } from 'vitest';

import { runFolderAt } from '../runs/run.ts';
import { homeOfRun } from './run-variables.ts';

it('the home of a run is derived from the path of its parameter file', () => {
  const file = runFolderAt(join('/home/ada/hob', 'runs'), 'run').parameterFile;
  expect(homeOfRun({ HOB_PARAMETER_FILE: file })).toBe('/home/ada/hob');
  expect(homeOfRun({ HOB_PARAMETER_FILE: file, HOB_HOME: '/elsewhere' })).toBeNull();
  expect(homeOfRun({})).toBeNull();
  expect(homeOfRun({ HOB_PARAMETER_FILE: '/nowhere/of/ours.json' })).toBeNull();
});
