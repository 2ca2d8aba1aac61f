import Type from 'typebox';

import { operationKinds, operationStages, operationStates } from '../../packages/package-operation.ts';
import { sourceKinds } from '../../packages/package-source.ts';
import { Nullable } from './common.ts';
import { Problem } from './scripts.ts';

/** Longer than any path or address that works. */
export const mostSourceCharacters = 4096;

const source = Type.String({
  minLength: 1,
  maxLength: mostSourceCharacters,
  description:
    'The absolute path of a folder, of a .zip or of a .tar.gz on this machine, or the address of a git repository.',
});
const ref = Type.Optional(
  Nullable(
    Type.String({
      description: 'A branch, tag or commit of a git repository. Absent: its own default branch.',
    }),
  ),
);
const path = Type.Optional(
  Nullable(Type.String({ description: 'The folder of the script inside the source, where it has several.' })),
);
const prepare = Type.Optional(
  Nullable(
    Type.Boolean({
      default: true,
      description: 'false: what the script needs to run is prepared at its first run, not now.',
    }),
  ),
);

export const InstallBody = Type.Object({ source, ref, path, prepare });

export const UpdateBody = Type.Object({
  source: Type.Optional(Nullable({ ...source, description: 'Absent: where it came from the last time.' })),
  ref,
  path,
  prepare,
});

export const NothingBody = Type.Object({}, { additionalProperties: false });

export const OperationStarted = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), operation_id: Type.String() },
  { additionalProperties: false, description: 'It is under way.' },
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
      Type.Enum([...operationStages], { description: 'What it is at; null when it has ended.' }),
    ),
    script_id: Nullable(Type.String({ description: 'Null until it is known.' })),
    script_name: Nullable(Type.String()),
    version: Nullable(Type.String()),
    source: Nullable(Type.Object(sourceFields, { additionalProperties: false })),
    entries_done: Type.Integer(),
    bytes_done: Type.Integer(),
    run_id: Nullable(Type.String({ description: 'The run that prepares what the script needs.' })),
    warnings: Type.Array(Type.String()),
    problems: Type.Array(Problem, { description: 'Everything wrong with the package.' }),
    started_at: Type.String(),
    ended_at: Nullable(Type.String()),
    error: Nullable(
      Type.Object(
        { code: Type.String(), message: Type.String(), hint: Type.String() },
        { additionalProperties: false, description: 'Why it failed.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'How far an operation is, or how it ended.' },
);

export const OperationsAnswer = Type.Object(
  { items: Type.Array(OperationAnswer), next: Type.Null() },
  { additionalProperties: false, description: 'The newest first.' },
);

export const OperationCancelled = Type.Object(
  { status: Type.Literal('success'), message: Type.String(), operation_id: Type.String() },
  { additionalProperties: false, description: 'It is being stopped.' },
);

const PackageItem = Type.Object(
  {
    script_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    version: Nullable(Type.String()),
    description: Nullable(Type.String()),
    installed_at: Nullable(Type.String({ description: 'Null when its record is damaged.' })),
    source: Nullable(
      Type.Object({ ...sourceFields, commit: Nullable(Type.String()) }, { additionalProperties: false }),
    ),
    previous: Nullable(
      Type.Object(
        { version: Nullable(Type.String()), installed_at: Type.String() },
        { additionalProperties: false, description: 'The version that one can return to.' },
      ),
    ),
    state: Type.Enum(['ready', 'broken'], {
      description: 'broken: its record is damaged, or its files are gone or no script any more.',
    }),
  },
  { additionalProperties: false },
);

export const PackagesAnswer = Type.Object(
  { items: Type.Array(PackageItem), next: Type.Null() },
  { additionalProperties: false, description: 'What is installed, by name.' },
);

export const UninstallAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    script_id: Type.String(),
    kept_for_runs: Type.Boolean({
      description: 'true: runs still use its files, which go when they have ended.',
    }),
  },
  { additionalProperties: false, description: 'It is not installed any more.' },
);
