import type { JsonObject } from '../../shared/json.ts';
import { errorIn, numberOf, textOf } from '../answer-fields.ts';

/** The part of a download that commands show. */
export interface Download {
  readonly id: string;
  readonly repoId: string;
  readonly state: string;
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly filesDone: number;
  readonly filesTotal: number | null;
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly folder: string | null;
  /** Reason of a failure, with a hint. */
  readonly error: string | null;
}

export function readDownload(answer: JsonObject): Download {
  return {
    id: textOf(answer.download_id) ?? '',
    repoId: textOf(answer.repo_id) ?? '',
    state: textOf(answer.state) ?? '',
    bytesDone: numberOf(answer.bytes_done) ?? 0,
    bytesTotal: numberOf(answer.bytes_total),
    filesDone: numberOf(answer.files_done) ?? 0,
    filesTotal: numberOf(answer.files_total),
    bytesPerSecond: numberOf(answer.bytes_per_s),
    secondsLeft: numberOf(answer.seconds_left),
    startedAt: textOf(answer.started_at) ?? '',
    endedAt: textOf(answer.ended_at),
    folder: textOf(answer.folder),
    error: errorIn(answer.error),
  };
}
