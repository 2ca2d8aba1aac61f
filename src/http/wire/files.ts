import Type from 'typebox';

import { entryKinds } from '../../files/list-folder.ts';
import { Nullable } from './common.ts';

export const FilesQuery = Type.Object({
  path: Type.Optional(
    Type.String({
      description: 'The absolute path of a folder; `~` is the home of the user. Absent: that home.',
    }),
  ),
});

export const FilesAnswer = Type.Object(
  {
    path: Type.String({ description: 'The folder that is listed.' }),
    parent: Nullable(Type.String({ description: 'The folder around it; null for a root.' })),
    home: Type.String({ description: 'The home of the user.' }),
    roots: Type.Array(Type.String(), { description: 'Where paths begin: `/`, or the drives.' }),
    separator: Type.String({ description: 'What stands between the names in a path.' }),
    complete: Type.Boolean({ description: 'false: there are more entries, which were left out.' }),
    entries: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          kind: Type.Enum([...entryKinds], {
            description: 'Of a link: what it leads to. other: a device, or a link that leads nowhere.',
          }),
          link: Type.Boolean({ description: 'Whether it is a symbolic link.' }),
          hidden: Type.Boolean({ description: 'Whether its name begins with a dot.' }),
          size: Nullable(Type.Integer({ description: 'Bytes; of files only.' })),
          modified: Nullable(Type.String({ format: 'date-time' })),
        },
        { additionalProperties: false },
      ),
      { description: 'Folders first, then by name.' },
    ),
  },
  { additionalProperties: false, description: 'What is in the folder.' },
);
