import { join } from 'node:path';

import { parameterFileName } from '../execution/remove-parameter-file.ts';

/** The paths of the files of a run. */
export interface RunFolder {
  readonly path: string;
  readonly parameterFile: string;
  readonly resultFile: string;
  readonly stdoutLog: string;
  readonly stderrLog: string;
  /** Notes that Hob writes about the run. */
  readonly notesLog: string;
}

export function runFolderAt(runsFolder: string, runId: string): RunFolder {
  const path = join(runsFolder, runId);
  return {
    path,
    parameterFile: join(path, parameterFileName),
    resultFile: join(path, 'result.json'),
    stdoutLog: join(path, 'stdout.log'),
    stderrLog: join(path, 'stderr.log'),
    notesLog: join(path, 'hob.log'),
  };
}
