import Type from 'typebox';
import { Closed, Count, Flag, Named, Nullable, OptionalText, Success, Text, Texts } from './common.ts';
import { entryKinds } from './values.ts';

export const FilesQuery = Type.Object({
  path: OptionalText(
    'Absolute path of a folder; `~` is the home folder of the user. Absent: the home folder.',
  ),
});

const Entry = Named(
  'FolderEntry',
  Closed({
    name: Type.String(),
    kind: Type.Enum([...entryKinds], {
      description: 'For a link: the kind of its target. `other`: a device or a broken link.',
    }),
    link: Flag('Whether it is a symbolic link.'),
    hidden: Flag('Whether its name starts with a dot.'),
    size: Nullable(Count('Size in bytes; null unless it is a file.')),
    modified: Nullable(Type.String({ format: 'date-time' })),
  }),
);

export const FilesAnswer = Named(
  'FolderListing',
  Closed(
    {
      path: Text('The listed folder.'),
      parent: Nullable(Text('The parent folder; null for a root.')),
      home: Text('The home folder of the user.'),
      roots: Texts('Roots of the file system: `/`, or the drives.'),
      separator: Text('The path separator.'),
      complete: Flag('false: the folder has more entries than listed here.'),
      entries: Type.Array(Entry, { description: 'Folders first, each group sorted by name.' }),
    },
    'The entries of the folder.',
  ),
);

export const OpenFolderBody = Named(
  'OpenFolderRequest',
  Type.Object({
    path: Text('Absolute path. Hob opens the folder itself, or the folder that contains the file.'),
  }),
);

export const OpenFolderAnswer = Named(
  'FolderOpened',
  Success({ folder: Text('The opened folder.') }, 'The folder was opened.'),
);
