import Type from 'typebox';
import { Nullable } from './common.ts';
import { environmentKinds } from './values.ts';

const EnvironmentItem = Type.Object(
  {
    key: Type.String(),
    kind: Type.Enum([...environmentKinds]),
    state: Type.Enum(['ready', 'building', 'damaged']),
    bytes: Type.Integer({ description: 'Size on disk.' }),
    made_at: Nullable(Type.String()),
    used_at: Nullable(Type.String()),
    made_with: Nullable(Type.String({ description: 'For example `Python 3.11.7, pip`.' })),
    requirements: Type.Array(Type.String(), { description: 'The requirements as written.' }),
    scripts: Type.Array(
      Type.Object({ script_id: Type.String(), name: Type.String() }, { additionalProperties: false }),
      { description: 'The scripts that use it.' },
    ),
  },
  { additionalProperties: false },
);

export const EnvironmentsAnswer = Type.Object(
  { items: Type.Array(EnvironmentItem), next: Type.Null() },
  { additionalProperties: false, description: 'All environments.' },
);

export const EnvironmentRemoved = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    key: Type.String(),
    freed_bytes: Type.Integer(),
  },
  { additionalProperties: false, description: 'The environment was removed.' },
);
