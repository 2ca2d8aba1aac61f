import Type from 'typebox';
import { Closed, List, Named, NeededBy, Nullable, Text, Texts } from './common.ts';

const SettingItem = Named(
  'Setting',
  Closed({
    name: Text('Name in settings.toml.'),
    value: Type.Unknown({ description: 'Value in effect.' }),
    default: Type.Unknown({ description: 'Default value.' }),
    source: Type.Enum(['default', 'file', 'environment', 'flag']),
    set_by: Nullable(Text('The file, environment variable or flag that sets it; null for a default.')),
    description: Text('In the language of the caller.'),
  }),
);

export const SettingsAnswer = Named(
  'SettingsInForce',
  Closed(
    {
      home: Type.String(),
      file: Text('Path of settings.toml. The file may not exist.'),
      address: Text('Address of the service on this machine.'),
      beyond: Texts('Addresses of the service for other machines.'),
      items: Type.Array(SettingItem),
      next: Type.Null(),
    },
    'The settings in effect.',
  ),
);

const RuntimeItem = Named(
  'Runtime',
  Closed({
    language: Text('Name as used in manifests.'),
    version: Nullable(Text('Null if it is not installed or reports no version.')),
    path: Nullable(Text('Path of the interpreter; null if it is not installed.')),
    install: Nullable(Text('How to install a missing interpreter, in the language of the caller.')),
    needed_by: NeededBy,
  }),
);

export const RuntimesAnswer = Named(
  'RuntimeList',
  List(RuntimeItem, 'Every language that needs an interpreter.'),
);
