import Type from 'typebox';
import { Closed, Named, Nullable, Success, Text } from './common.ts';

export const SecretBody = Named(
  'SecretRequest',
  Type.Object({
    value: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'At most 64 KiB in UTF-8, and not only white space. No response contains it.',
    }),
  }),
);

const SecretItem = Named(
  'Secret',
  Closed({
    name: Type.String(),
    set_at: Type.String({ format: 'date-time' }),
    used_at: Nullable(Text('The last use; null: not used since it was set.')),
  }),
);

export const SecretsAnswer = Named(
  'SecretList',
  Closed(
    {
      items: Type.Array(SecretItem),
      next: Type.Null(),
      key_file: Text('The file with the key that encrypts the values, on the machine of the service.'),
    },
    'The names of all stored secrets, sorted.',
  ),
);

export const SecretChanged = Named(
  'SecretChanged',
  Success({ message: Type.String(), name: Type.String() }, 'The change takes effect at once.'),
);
