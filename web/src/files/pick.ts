import type { FolderEntry } from '../api/wire.ts';

/** The kinds of entries that the user may choose. */
export interface Wanted {
  readonly kinds: 'files' | 'folders' | 'both';
  /** Lower-case extensions with their dot; empty allows all. */
  readonly exts: readonly string[];
  readonly isOne: boolean;
}

/** Derived from the fields of a manifest. Missing fields do not restrict the choice. */
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
  /** Also entries that cannot be chosen. */
  readonly showOthers: boolean;
}

/** The entries to show. Folders are always included, so that the user can open them. */
export function visibleEntries(
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

/** How many entries match the filter text but are not shown. */
export interface NotShownCounts {
  /** Hidden folders, and hidden entries that can be chosen. */
  readonly hidden: number;
  /** Entries that cannot be chosen. */
  readonly others: number;
}

export function countNotShown(entries: readonly FolderEntry[], wanted: Wanted, sight: Sight): NotShownCounts {
  const seen = new Set(visibleEntries(entries, wanted, sight));
  const all = visibleEntries(entries, wanted, { ...sight, showHidden: true, showOthers: true });
  const notShown = all.filter((entry) => !seen.has(entry));
  const hidden = notShown.filter((entry) => entry.kind === 'folder' || canPick(entry, wanted)).length;
  return { hidden, others: notShown.length - hidden };
}

/** The path of an entry in a folder. */
export function pathIn(folder: string, name: string, separator: string): string {
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/** The name and path of each folder from the root to the given one. */
export function crumbsOf(path: string, roots: readonly string[], separator: string) {
  const root = roots.find((each) => path.toLowerCase().startsWith(each.toLowerCase())) ?? separator;
  const crumbs = [{ name: root, path: root }];
  for (const name of path.slice(root.length).split(separator).filter(Boolean)) {
    const last = crumbs.at(-1)?.path ?? root;
    crumbs.push({ name, path: pathIn(last, name, separator) });
  }
  return crumbs;
}

/** The folder in which browsing starts for the current value of a field. */
export function startAt(path: string, { kinds }: Wanted): string | null {
  const around = folderOf(path);
  return around === null || kinds === 'files' ? around : path;
}

/** The parent folder of a path; null if the text is not a path. */
export function folderOf(path: string): string | null {
  const [, folder, root] = /^((?:([\\/]|[A-Za-z]:[\\/])|~).*?)[\\/]?[^\\/]*$/.exec(path) ?? [];
  if (folder === undefined) return null;
  return root !== undefined && folder.length < root.length ? root : folder;
}
