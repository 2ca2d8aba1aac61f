import Type from 'typebox';
import { Nullable } from './common.ts';
import { entryKinds } from './values.ts';

export const FilesQuery = Type.Object({
  path: Type.Optional(
    Type.String({
      description: 'Absolute path of a folder; `~` is the home folder of the user. Absent: the home folder.',
    }),
  ),
});

export const FilesAnswer = Type.Object(
  {
    path: Type.String({ description: 'The listed folder.' }),
    parent: Nullable(Type.String({ description: 'The parent folder; null for a root.' })),
    home: Type.String({ description: 'The home folder of the user.' }),
    roots: Type.Array(Type.String(), { description: 'Roots of the file system: `/`, or the drives.' }),
    separator: Type.String({ description: 'The path separator.' }),
    complete: Type.Boolean({ description: 'false: the folder has more entries than listed here.' }),
    entries: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          kind: Type.Enum([...entryKinds], {
            description: 'For a link: the kind of its target. `other`: a device or a broken link.',
          }),
          link: Type.Boolean({ description: 'Whether it is a symbolic link.' }),
          hidden: Type.Boolean({ description: 'Whether its name starts with a dot.' }),
          size: Nullable(Type.Integer({ description: 'Size in bytes; null unless it is a file.' })),
          modified: Nullable(Type.String({ format: 'date-time' })),
        },
        { additionalProperties: false },
      ),
      { description: 'Folders first, each group sorted by name.' },
    ),
  },
  { additionalProperties: false, description: 'The entries of the folder.' },
);
