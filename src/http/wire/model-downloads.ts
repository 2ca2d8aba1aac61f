import Type from 'typebox';

import { modelSources } from '../../models/model.ts';
import { Nullable } from './common.ts';

/** More than any repo needs, and no more than can be compared with every file of a large one. */
export const globBounds = { count: 100, length: 200 };

const repoId = Type.String({ description: 'owner/name' });
const source = Type.Enum([...modelSources], { description: 'Where it comes from.' });

export const DownloadBody = Type.Object({
  repo_id: repoId,
  source: Type.Optional(
    Nullable(
      Type.Enum([...modelSources], {
        description: 'Where to get it. Absent: what a script declares for this repo, else huggingface.',
      }),
    ),
  ),
  files: Type.Optional(
    Nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: globBounds.length }), {
        maxItems: globBounds.count,
        description:
          'Globs of the files to get; an empty list means all. Absent: what all scripts together declare for this repo, else all.',
      }),
    ),
  ),
  revision: Type.Optional(
    Nullable(
      Type.String({ description: "A branch, tag or commit. Absent: the source's own default branch." }),
    ),
  ),
});

export const DownloadStarted = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    download_id: Type.String(),
    is_joined: Type.Boolean({ description: 'true: the same download was under way already.' }),
  },
  { additionalProperties: false, description: 'It is under way.' },
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
    folder: Nullable(Type.String({ description: 'Where the files are; null until that is known.' })),
    error: Nullable(
      Type.Object(
        { code: Type.String(), message: Type.String(), hint: Type.String() },
        { additionalProperties: false, description: 'Why it failed.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'How far a download is, or how it ended.' },
);

export const DownloadsAnswer = Type.Object(
  { items: Type.Array(DownloadAnswer), next: Type.Null() },
  { additionalProperties: false, description: 'The newest first.' },
);

export const DownloadCancelled = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), download_id: Type.String() },
  { additionalProperties: false, description: 'It is being stopped.' },
);
