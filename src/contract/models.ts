import Type from 'typebox';
import {
  Closed,
  Count,
  Failure,
  Flag,
  List,
  Named,
  NeededBy,
  Nullable,
  NullableText,
  Success,
  Text,
  Texts,
} from './common.ts';
import { modelPlaces, modelSources } from './values.ts';

const repoId = Text('owner/name');

export const ModelPathQuery = Type.Object({ repo_id: repoId });

export const ModelPathAnswer = Named(
  'ModelPath',
  Closed(
    {
      code: Type.Literal(200),
      data: Closed({ path: Type.String(), repo_id: Type.String() }),
      message: Type.String(),
      success: Type.Literal(true),
    },
    'The folder of the model.',
  ),
);

export const ModelPathError = Named(
  'ModelPathError',
  Closed(
    { code: Type.Integer(), data: Closed({}), message: Type.String(), success: Type.Literal(false) },
    'The error, for example that the model is not downloaded.',
  ),
);

export const ModelState = Type.Enum(['complete', 'partial', 'missing']);

const ModelItem = Named(
  'Model',
  Closed({
    repo_id: Type.String(),
    source: Nullable(Type.Enum(modelSources)),
    place: Nullable(Type.Enum(modelPlaces)),
    folder: NullableText,
    revision: NullableText,
    size_bytes: Count('Size on disk of all its files.'),
    state: ModelState,
    is_used: Flag('Whether GET /api/model/path returns this folder.'),
    is_removable: Type.Boolean(),
    needed_by: NeededBy,
  }),
);

export const ModelsAnswer = Named(
  'ModelList',
  List(ModelItem, 'The models on this machine, and the missing models that scripts need.'),
);

export const RemoveModelQuery = Type.Object({
  place: Type.Optional(
    Type.Enum(modelPlaces, {
      description: 'The place to remove the model from. Absent: the first place that has it.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'true: only report how much would be freed.' }),
  ),
});

export const RemoveModelAnswer = Named(
  'ModelRemoved',
  Success(
    { message: Type.String(), folder: Type.String(), freed_bytes: Type.Integer() },
    'The model was removed, or would be removed.',
  ),
);

/** More globs than any repo needs, and few enough to compare with every file of a large repo. */
export const globBounds = { count: 100, length: 200 };

const optional = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(Nullable(schema));

export const DownloadBody = Named(
  'DownloadRequest',
  Type.Object({
    repo_id: repoId,
    source: optional(
      Type.Enum([...modelSources], {
        description:
          'The hub to download from. Absent: the source that a script declares for this repo, otherwise huggingface.',
      }),
    ),
    files: optional(
      Type.Array(Type.String({ minLength: 1, maxLength: globBounds.length }), {
        maxItems: globBounds.count,
        description:
          'Globs of the files to download; an empty list means all. Absent: all globs that scripts declare for this repo, otherwise all files.',
      }),
    ),
    revision: optional(Text('A branch, tag or commit. Absent: the default branch.')),
  }),
);

export const DownloadStarted = Named(
  'DownloadStarted',
  Success(
    {
      message: Type.String(),
      download_id: Type.String(),
      is_joined: Flag('true: the same download was already in progress.'),
    },
    'The download is in progress.',
  ),
);

export const DownloadAnswer = Named(
  'Download',
  Closed(
    {
      download_id: Type.String(),
      repo_id: repoId,
      source: Type.Enum([...modelSources], { description: 'The hub that provides the model.' }),
      revision: NullableText,
      files: Texts('Globs; an empty list means all files.'),
      state: Type.Enum(['running', 'done', 'failed', 'cancelled']),
      bytes_done: Type.Integer(),
      bytes_total: Nullable(Count('Null until the source has listed its files.')),
      files_done: Type.Integer(),
      files_total: Nullable(Type.Integer()),
      bytes_per_s: Nullable(Type.Number()),
      seconds_left: Nullable(Type.Number()),
      started_at: Type.String(),
      ended_at: NullableText,
      folder: Nullable(Text('The folder of the files; null until it is known.')),
      error: Failure('Why the download failed.'),
    },
    'The progress or the outcome of a download.',
  ),
);

export const DownloadsAnswer = Named('DownloadList', List(DownloadAnswer, 'Newest first.'));

export const DownloadCancelled = Named(
  'DownloadCancelled',
  Success({ message: Type.String(), download_id: Type.String() }, 'The download is being stopped.'),
);
