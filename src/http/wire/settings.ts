import Type from 'typebox';

import { Nullable } from './common.ts';

const SettingItem = Type.Object(
  {
    name: Type.String({ description: 'As it is written in the file.' }),
    value: Type.Unknown({ description: 'What holds.' }),
    default: Type.Unknown({ description: 'What holds where nobody has chosen anything.' }),
    source: Type.Enum(['default', 'file', 'environment', 'flag']),
    set_by: Nullable(
      Type.String({ description: 'The file, the variable or the flag that has it; null for a default.' }),
    ),
    description: Type.String({ description: 'In the language of the caller.' }),
  },
  { additionalProperties: false },
);

export const SettingsAnswer = Type.Object(
  {
    home: Type.String(),
    file: Type.String({ description: 'Where settings are written; it need not be there.' }),
    address: Type.String({ description: 'Where the service is reached on this machine.' }),
    beyond: Type.Array(Type.String(), { description: 'Where it is reached from other machines.' }),
    items: Type.Array(SettingItem),
    next: Type.Null(),
  },
  { additionalProperties: false, description: 'The settings with which the service was started.' },
);

const RuntimeItem = Type.Object(
  {
    language: Type.String({ description: 'As manifests have it.' }),
    version: Nullable(
      Type.String({ description: 'Null where it is missing, or where nobody writes it down.' }),
    ),
    path: Nullable(Type.String({ description: 'The file of the interpreter; null: it is not installed.' })),
    install: Nullable(
      Type.String({ description: 'How to get one that is missing, in the language of the caller.' }),
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
