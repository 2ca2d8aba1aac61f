import type { DownloadView } from '../models/downloads/download.ts';
import { formatRepoId } from '../models/repo-id.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';

/** The JSON form of a download. */
export function downloadAnswer(download: DownloadView, language: Language): JsonObject {
  const { repo, error } = download;
  return {
    download_id: download.id,
    repo_id: formatRepoId(repo),
    source: download.source,
    revision: download.revision,
    files: [...download.files],
    state: download.state,
    bytes_done: download.bytesDone,
    bytes_total: download.bytesTotal,
    files_done: download.filesDone,
    files_total: download.filesTotal,
    bytes_per_s: download.bytesPerSecond,
    seconds_left: download.secondsLeft,
    started_at: download.startedAt,
    ended_at: download.endedAt,
    folder: download.folder,
    error:
      error === null
        ? null
        : { code: error.code, message: error.text[language], hint: error.hint?.[language] ?? '' },
  };
}
