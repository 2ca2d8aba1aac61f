import Type from 'typebox';
import { Nullable } from './common.ts';
import { modelSources } from './values.ts';

/** More globs than any repo needs, and few enough to compare with every file of a large repo. */
export const globBounds = { count: 100, length: 200 };

const repoId = Type.String({ description: 'owner/name' });
const source = Type.Enum([...modelSources], { description: 'The hub that provides the model.' });

export const DownloadBody = Type.Object({
  repo_id: repoId,
  source: Type.Optional(
    Nullable(
      Type.Enum([...modelSources], {
        description:
          'The hub to download from. Absent: the source that a script declares for this repo, otherwise huggingface.',
      }),
    ),
  ),
  files: Type.Optional(
    Nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: globBounds.length }), {
        maxItems: globBounds.count,
        description:
          'Globs of the files to download; an empty list means all. Absent: all globs that scripts declare for this repo, otherwise all files.',
      }),
    ),
  ),
  revision: Type.Optional(
    Nullable(Type.String({ description: 'A branch, tag or commit. Absent: the default branch.' })),
  ),
});

export const DownloadStarted = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    download_id: Type.String(),
    is_joined: Type.Boolean({ description: 'true: the same download was already in progress.' }),
  },
  { additionalProperties: false, description: 'The download is in progress.' },
);

export const DownloadAnswer = Type.Object(
  {
    download_id: Type.String(),
    repo_id: repoId,
    source,
    revision: Nullable(Type.String()),
    files: Type.Array(Type.String(), { description: 'Globs; an empty list means all files.' }),
    state: Type.Enum(['running', 'done', 'failed', 'cancelled']),
    bytes_done: Type.Integer(),
    bytes_total: Nullable(Type.Integer({ description: 'Null until the source has listed its files.' })),
    files_done: Type.Integer(),
    files_total: Nullable(Type.Integer()),
    bytes_per_s: Nullable(Type.Number()),
    seconds_left: Nullable(Type.Number()),
    started_at: Type.String(),
    ended_at: Nullable(Type.String()),
    folder: Nullable(Type.String({ description: 'The folder of the files; null until it is known.' })),
    error: Nullable(
      Type.Object(
        { code: Type.String(), message: Type.String(), hint: Type.String() },
        { additionalProperties: false, description: 'Why the download failed.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'The progress or the outcome of a download.' },
);

export const DownloadsAnswer = Type.Object(
  { items: Type.Array(DownloadAnswer), next: Type.Null() },
  { additionalProperties: false, description: 'Newest first.' },
);

export const DownloadCancelled = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), download_id: Type.String() },
  { additionalProperties: false, description: 'The download is being stopped.' },
);
