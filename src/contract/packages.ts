import Type from 'typebox';
import { Closed, Failure, Flag, List, Named, Nullable, NullableText, Success, Text } from './common.ts';
import { Problem } from './scripts.ts';
import { operationKinds, operationStages, operationStates, sourceKinds } from './values.ts';

/** Longer than any usable path or address. */
export const mostSourceCharacters = 4096;

const source = Type.String({
  minLength: 1,
  maxLength: mostSourceCharacters,
  description:
    'Absolute path of a folder, .zip or .tar.gz on this machine, or the address of a git repository.',
});

const choices = {
  ref: Type.Optional(
    Nullable(Text('A branch, tag or commit of the git repository. Absent: the default branch.')),
  ),
  path: Type.Optional(
    Nullable(Text('The folder of the script inside the source, if the source has several scripts.')),
  ),
  prepare: Type.Optional(
    Nullable(
      Type.Boolean({
        default: true,
        description: 'false: build the environment at the first run of the script, not now.',
      }),
    ),
  ),
};

export const InstallBody = Named('InstallRequest', Type.Object({ source, ...choices }));

export const UpdateBody = Named(
  'UpdateRequest',
  Type.Object({
    source: Type.Optional(
      Nullable({ ...source, description: 'Absent: the source of the installed version.' }),
    ),
    ...choices,
  }),
);

export const NothingBody = Named('EmptyRequest', Closed({}));

const operationId = { message: Type.String(), operation_id: Type.String() };

export const OperationStarted = Named(
  'OperationStarted',
  Success(operationId, 'The operation is in progress.'),
);

const sourceFields = {
  kind: Type.Enum([...sourceKinds]),
  location: Type.String(),
  ref: NullableText,
  path: NullableText,
};

export const OperationAnswer = Named(
  'Operation',
  Closed(
    {
      operation_id: Type.String(),
      kind: Type.Enum([...operationKinds]),
      state: Type.Enum([...operationStates]),
      stage: Nullable(
        Type.Enum([...operationStages], { description: 'The current stage; null after the end.' }),
      ),
      script_id: Nullable(Text('Null until known.')),
      script_name: NullableText,
      version: NullableText,
      source: Nullable(Closed(sourceFields)),
      entries_done: Type.Integer(),
      bytes_done: Type.Integer(),
      run_id: Nullable(Text('The run that builds the environment of the script.')),
      warnings: Type.Array(Type.String()),
      problems: Type.Array(Problem, { description: 'The problems of the package.' }),
      started_at: Type.String(),
      ended_at: NullableText,
      error: Failure('Why the operation failed.'),
    },
    'The progress or the outcome of an operation.',
  ),
);

export const OperationsAnswer = Named('OperationList', List(OperationAnswer, 'Newest first.'));

export const OperationCancelled = Named(
  'OperationCancelled',
  Success(operationId, 'The operation is being stopped.'),
);

const PackageItem = Named(
  'InstalledPackage',
  Closed({
    script_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    version: NullableText,
    description: NullableText,
    installed_at: Nullable(Text('Null if its record is damaged.')),
    source: Nullable(Closed({ ...sourceFields, commit: NullableText })),
    previous: Nullable(
      Closed(
        { version: NullableText, installed_at: Type.String() },
        'The version that a rollback activates.',
      ),
    ),
    state: Type.Enum(['ready', 'broken'], {
      description: '`broken`: its record is damaged, or its files are missing or no longer a script.',
    }),
  }),
);

export const PackagesAnswer = Named(
  'PackageList',
  List(PackageItem, 'The installed packages, sorted by name.'),
);

export const UninstallAnswer = Named(
  'Uninstalled',
  Success(
    {
      message: Type.String(),
      script_id: Type.String(),
      kept_for_runs: Flag('true: runs still use its files. Hob removes the files when these runs end.'),
    },
    'The package was uninstalled.',
  ),
);
