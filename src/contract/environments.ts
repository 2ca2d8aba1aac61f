import Type from 'typebox';
import { Closed, Count, List, Named, Nullable, NullableText, Success, Text, Texts } from './common.ts';
import { environmentKinds } from './values.ts';

const EnvironmentItem = Named(
  'Environment',
  Closed({
    key: Type.String(),
    kind: Type.Enum([...environmentKinds]),
    state: Type.Enum(['ready', 'building', 'damaged']),
    bytes: Count('Size on disk.'),
    made_at: NullableText,
    used_at: NullableText,
    made_with: Nullable(Text('For example `Python 3.11.7, pip`.')),
    requirements: Texts('The requirements as written.'),
    scripts: Type.Array(Closed({ script_id: Type.String(), name: Type.String() }), {
      description: 'The scripts that use it.',
    }),
  }),
);

export const EnvironmentsAnswer = Named('EnvironmentList', List(EnvironmentItem, 'All environments.'));

export const EnvironmentRemoved = Named(
  'EnvironmentRemoved',
  Success(
    { message: Type.String(), key: Type.String(), freed_bytes: Type.Integer() },
    'The environment was removed.',
  ),
);
