import { rm } from 'node:fs/promises';

import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { runFolderAt } from '../parameter-file.ts';
import { unknownRun } from '../refusals.ts';
import type { RunRecord } from '../run-record.ts';
import type { RunRemoval } from './run-removal.ts';

interface RunRemoverOptions {
  removal: RunRemoval;
  runsFolder: string;
  log: Logger;
}

/** Removes runs that have ended, with all that they left behind. */
export class RunRemover {
  readonly #options: RunRemoverOptions;

  constructor(options: RunRemoverOptions) {
    this.#options = options;
  }

  async remove({ runId, endedAt }: Pick<RunRecord, 'runId' | 'endedAt'>): Promise<void> {
    if (endedAt === null) throw notEnded(runId);
    const { removal, runsFolder, log } = this.#options;
    // The record first: a folder that no record names is swept up at the next start, should that end come now.
    if (!removal.forgetRuns([runId]).includes(runId)) throw unknownRun(runId);
    const { path } = runFolderAt(runsFolder, runId);
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      log.warn({ err: error, run: runId }, 'the folder of a deleted run could not be removed yet');
    });
  }
}

function notEnded(runId: string): AppError {
  return new AppError(
    'run-not-ended',
    { en: `The run ${runId} has not ended yet.`, zh: `运行尚未结束: ${runId}` },
    {
      hint: {
        en: `Cancel it first: POST /api/runs/${runId}/cancel. Then wait for its end: GET /api/runs/${runId}?wait=30.`,
        zh: `请先取消：POST /api/runs/${runId}/cancel，再等待其结束：GET /api/runs/${runId}?wait=30`,
      },
    },
  );
}
