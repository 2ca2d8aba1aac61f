import { AppError, errnoOf, isExhaustion } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { removeFolder } from '../../shared/remove-folder.ts';
import { unknownRun } from '../refusals.ts';
import { runFolderAt } from '../run.ts';
import type { RunRecord } from '../run-record.ts';
import type { RunRemoval } from './retention-store.ts';

interface RunRemoverOptions {
  removal: RunRemoval;
  runsFolder: string;
  log: Logger;
  /** Aborted when no time is left to remove folders. The next start removes the remaining ones. */
  closing: AbortSignal;
}

const foldersAtOnce = 4;

/** Removes ended runs and all their files. */
export class RunRemover {
  readonly #options: RunRemoverOptions;

  constructor(options: RunRemoverOptions) {
    this.#options = options;
  }

  /** When this resolves, the run is no longer on record. Its folder is removed, unless the log reports a failure. */
  async remove({ runId, endedAt }: Pick<RunRecord, 'runId' | 'endedAt'>): Promise<void> {
    if (endedAt === null) throw notEnded(runId);
    try {
      if (!(await this.removeEnded([runId])).includes(runId)) throw unknownRun(runId);
    } catch (error) {
      const errno = errnoOf(error);
      throw isExhaustion(errno) ? recordRemains(runId, errno, error) : error;
    }
  }

  /** Removes runs that are known to have ended. Returns those that were on record. */
  async removeEnded(runIds: readonly string[]): Promise<string[]> {
    const { removal } = this.#options;
    let removed: string[];
    try {
      // The record first: a folder without a record is found at the next start, but a record without logs would be
      // incomplete.
      removed = removal.forgetRuns(runIds);
    } catch (error) {
      // Removing records needs space too. Removing the folders first can free it.
      if (!isExhaustion(errnoOf(error))) throw error;
      await this.removeFolders(runIds);
      return removal.forgetRuns(runIds);
    }
    await this.removeFolders(removed);
    return removed;
  }

  /** Removes the folders of runs that are not on record, or whose records are about to be removed. */
  async removeFolders(runIds: readonly string[]): Promise<void> {
    for (let at = 0; at < runIds.length; at += foldersAtOnce)
      await Promise.all(runIds.slice(at, at + foldersAtOnce).map((runId) => this.#removeFolder(runId)));
  }

  async #removeFolder(runId: string): Promise<void> {
    const { runsFolder, log, closing } = this.#options;
    try {
      await removeFolder(runFolderAt(runsFolder, runId).path, closing);
    } catch (error) {
      if (closing.aborted) log.info({ run: runId }, 'the next start removes the folder of a run');
      else log.warn({ err: error, run: runId }, 'cannot remove the folder of a run yet');
    }
  }
}

function recordRemains(runId: string, errno: string, cause: unknown): AppError {
  return new AppError(
    'resources-exhausted',
    {
      en: `The machine lacks a resource to delete the record of the run ${runId} (${errno}). Its folder was removed as far as possible. Free the resource, then try again.`,
      zh: `删除运行 ${runId} 的记录所需的系统资源已耗尽（${errno}），其文件夹已尽可能清除，请在释放空间后重试。`,
    },
    { cause, retryAfterS: 5 },
  );
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
