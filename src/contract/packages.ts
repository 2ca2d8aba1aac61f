import Type from 'typebox';
import { Nullable } from './common.ts';
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
const ref = Type.Optional(
  Nullable(
    Type.String({
      description: 'A branch, tag or commit of the git repository. Absent: the default branch.',
    }),
  ),
);
const path = Type.Optional(
  Nullable(
    Type.String({
      description: 'The folder of the script inside the source, if the source has several scripts.',
    }),
  ),
);
const prepare = Type.Optional(
  Nullable(
    Type.Boolean({
      default: true,
      description: 'false: build the environment at the first run of the script, not now.',
    }),
  ),
);

export const InstallBody = Type.Object({ source, ref, path, prepare });

export const UpdateBody = Type.Object({
  source: Type.Optional(Nullable({ ...source, description: 'Absent: the source of the installed version.' })),
  ref,
  path,
  prepare,
});

export const NothingBody = Type.Object({}, { additionalProperties: false });

export const OperationStarted = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), operation_id: Type.String() },
  { additionalProperties: false, description: 'The operation is in progress.' },
);

const sourceFields = {
  kind: Type.Enum([...sourceKinds]),
  location: Type.String(),
  ref: Nullable(Type.String()),
  path: Nullable(Type.String()),
};

export const OperationAnswer = Type.Object(
  {
    operation_id: Type.String(),
    kind: Type.Enum([...operationKinds]),
    state: Type.Enum([...operationStates]),
    stage: Nullable(
      Type.Enum([...operationStages], { description: 'The current stage; null after the end.' }),
    ),
    script_id: Nullable(Type.String({ description: 'Null until known.' })),
    script_name: Nullable(Type.String()),
    version: Nullable(Type.String()),
    source: Nullable(Type.Object(sourceFields, { additionalProperties: false })),
    entries_done: Type.Integer(),
    bytes_done: Type.Integer(),
    run_id: Nullable(Type.String({ description: 'The run that builds the environment of the script.' })),
    warnings: Type.Array(Type.String()),
    problems: Type.Array(Problem, { description: 'The problems of the package.' }),
    started_at: Type.String(),
    ended_at: Nullable(Type.String()),
    error: Nullable(
      Type.Object(
        { code: Type.String(), message: Type.String(), hint: Type.String() },
        { additionalProperties: false, description: 'Why the operation failed.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'The progress or the outcome of an operation.' },
);

export const OperationsAnswer = Type.Object(
  { items: Type.Array(OperationAnswer), next: Type.Null() },
  { additionalProperties: false, description: 'Newest first.' },
);

export const OperationCancelled = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), operation_id: Type.String() },
  { additionalProperties: false, description: 'The operation is being stopped.' },
);

const PackageItem = Type.Object(
  {
    script_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    version: Nullable(Type.String()),
    description: Nullable(Type.String()),
    installed_at: Nullable(Type.String({ description: 'Null if its record is damaged.' })),
    source: Nullable(
      Type.Object({ ...sourceFields, commit: Nullable(Type.String()) }, { additionalProperties: false }),
    ),
    previous: Nullable(
      Type.Object(
        { version: Nullable(Type.String()), installed_at: Type.String() },
        { additionalProperties: false, description: 'The version that a rollback activates.' },
      ),
    ),
    state: Type.Enum(['ready', 'broken'], {
      description: '`broken`: its record is damaged, or its files are missing or no longer a script.',
    }),
  },
  { additionalProperties: false },
);

export const PackagesAnswer = Type.Object(
  { items: Type.Array(PackageItem), next: Type.Null() },
  { additionalProperties: false, description: 'The installed packages, sorted by name.' },
);

export const UninstallAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    script_id: Type.String(),
    kept_for_runs: Type.Boolean({
      description: 'true: runs still use its files. Hob removes the files when these runs end.',
    }),
  },
  { additionalProperties: false, description: 'The package was uninstalled.' },
);
