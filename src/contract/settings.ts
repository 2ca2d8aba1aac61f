import Type from 'typebox';

import { Nullable } from './common.ts';

const SettingItem = Type.Object(
  {
    name: Type.String({ description: 'Name in settings.toml.' }),
    value: Type.Unknown({ description: 'Value in effect.' }),
    default: Type.Unknown({ description: 'Default value.' }),
    source: Type.Enum(['default', 'file', 'environment', 'flag']),
    set_by: Nullable(
      Type.String({
        description: 'The file, environment variable or flag that sets it; null for a default.',
      }),
    ),
    description: Type.String({ description: 'In the language of the caller.' }),
  },
  { additionalProperties: false },
);

export const SettingsAnswer = Type.Object(
  {
    home: Type.String(),
    file: Type.String({ description: 'Path of settings.toml. The file may not exist.' }),
    address: Type.String({ description: 'Address of the service on this machine.' }),
    beyond: Type.Array(Type.String(), { description: 'Addresses of the service for other machines.' }),
    items: Type.Array(SettingItem),
    next: Type.Null(),
  },
  { additionalProperties: false, description: 'The settings in effect.' },
);

const RuntimeItem = Type.Object(
  {
    language: Type.String({ description: 'Name as used in manifests.' }),
    version: Nullable(Type.String({ description: 'Null if it is not installed or reports no version.' })),
    path: Nullable(Type.String({ description: 'Path of the interpreter; null if it is not installed.' })),
    install: Nullable(
      Type.String({ description: 'How to install a missing interpreter, in the language of the caller.' }),
    ),
    needed_by: Type.Array(
      Type.Object({ script_id: Type.String(), script_name: Type.String() }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);

export const RuntimesAnswer = Type.Object(
  { items: Type.Array(RuntimeItem), next: Type.Null() },
  { additionalProperties: false, description: 'Every language that needs an interpreter.' },
);
