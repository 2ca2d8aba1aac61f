import type { FolderEntry } from '../api/wire.ts';

/** What somebody is asked to choose. */
export interface Wanted {
  readonly kinds: 'files' | 'folders' | 'both';
  /** Extensions with their dot, in small letters; none: any. */
  readonly exts: readonly string[];
  readonly isOne: boolean;
}

/** As a manifest says it; what it does not say is not restricted. */
export function wantedBy(pick: string | null, exts: readonly string[], isOne: boolean): Wanted {
  const kinds = pick === 'files' || pick === 'folders' ? pick : 'both';
  return {
    kinds,
    exts: exts
      .map(
        (ext) =>
          `.${ext
            .trim()
            .toLowerCase()
            .replace(/^\*?\.?/, '')}`,
      )
      .filter((ext) => ext !== '.'),
    isOne,
  };
}

export function canPick({ kind, name }: FolderEntry, { kinds, exts }: Wanted): boolean {
  if (kind === 'folder') return kinds !== 'files';
  if (kind !== 'file' || kinds === 'folders') return false;
  const lower = name.toLowerCase();
  return exts.length === 0 || exts.some((ext) => lower.endsWith(ext));
}

interface Sight {
  readonly filter: string;
  readonly showHidden: boolean;
  /** Also what cannot be chosen. */
  readonly showOthers: boolean;
}

/** What is shown of a folder. Folders are, always: one may want to go there. */
export function entriesInSight(
  entries: readonly FolderEntry[],
  wanted: Wanted,
  { filter, showHidden, showOthers }: Sight,
): FolderEntry[] {
  const sought = filter.trim().toLowerCase();
  return entries.filter(
    (entry) =>
      (showHidden || !entry.hidden || sought.startsWith('.')) &&
      (showOthers || entry.kind === 'folder' || canPick(entry, wanted)) &&
      entry.name.toLowerCase().includes(sought),
  );
}

/** How many entries are not in sight, though their names have what is typed. */
export interface OutOfSight {
  /** Those that are hidden, and wanted otherwise. */
  readonly hidden: number;
  /** Those that cannot be chosen. */
  readonly others: number;
}

export function outOfSight(entries: readonly FolderEntry[], wanted: Wanted, sight: Sight): OutOfSight {
  const seen = new Set(entriesInSight(entries, wanted, sight));
  const all = entriesInSight(entries, wanted, { ...sight, showHidden: true, showOthers: true });
  const unseen = all.filter((entry) => !seen.has(entry));
  const hidden = unseen.filter((entry) => entry.kind === 'folder' || canPick(entry, wanted)).length;
  return { hidden, others: unseen.length - hidden };
}

/** The path of something in a folder. */
export function pathIn(folder: string, name: string, separator: string): string {
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/** The folders on the way to one, from the root: each with its name and its path. */
export function crumbsOf(path: string, roots: readonly string[], separator: string) {
  const root = roots.find((each) => path.toLowerCase().startsWith(each.toLowerCase())) ?? separator;
  const crumbs = [{ name: root, path: root }];
  for (const name of path.slice(root.length).split(separator).filter(Boolean)) {
    const last = crumbs.at(-1)?.path ?? root;
    crumbs.push({ name, path: pathIn(last, name, separator) });
  }
  return crumbs;
}

/** Where to begin to look for another than the one that is there: at a folder, or where a file lies. */
export function startAt(path: string, { kinds }: Wanted): string | null {
  const around = folderOf(path);
  return around === null || kinds === 'files' ? around : path;
}

/** The folder that something lies in, as far as its path says; null when that says nothing. */
export function folderOf(path: string): string | null {
  const [, folder, root] = /^((?:([\\/]|[A-Za-z]:[\\/])|~).*?)[\\/]?[^\\/]*$/.exec(path) ?? [];
  if (folder === undefined) return null;
  return root !== undefined && folder.length < root.length ? root : folder;
}
