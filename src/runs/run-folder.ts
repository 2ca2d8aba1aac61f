import { join } from 'node:path';

import { parameterFileName } from '../execution/remove-parameter-file.ts';

/** Where the files of a run lie. */
export interface RunFolder {
  readonly path: string;
  readonly parameterFile: string;
  readonly resultFile: string;
  readonly stdoutLog: string;
  readonly stderrLog: string;
  /** What Hob itself has to say about the run. */
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
