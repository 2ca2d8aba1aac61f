import { basename, join, relative, sep } from 'node:path';

import type { FolderTrigger } from '../trigger.ts';

/** The files that a folder trigger is about. */
export type Scope = Pick<FolderTrigger, 'path' | 'recursive' | 'filters' | 'after'>;

export function scopeOf({ path, recursive, filters, after }: FolderTrigger): Scope {
  return { path, recursive, filters, after };
}

/** The folders beside a file that receive it after its run. */
export const movedFolders = { succeeded: 'done', failed: 'failed' } as const;

/** Names that programs give to files which they are still writing. */
const partialEndings = ['.part', '.crdownload', '.tmp', '.download', '~'];
/** Files that Windows adds to folders by itself. */
const systemNames = new Set(['thumbs.db', 'desktop.ini']);

/** Whether a program writes a file under this name before it gives it its own. */
export function isPartialName(name: string): boolean {
  const lower = name.toLowerCase();
  return partialEndings.some((ending) => lower.endsWith(ending));
}

/** Hidden files never count: programs keep their own data in them, and rsync and others write to a hidden name first. */
function isIgnoredName(name: string): boolean {
  // Office programs mark an open document with a file whose name begins with ~$.
  return (
    name.startsWith('.') ||
    name.startsWith('~$') ||
    isPartialName(name) ||
    systemNames.has(name.toLowerCase())
  );
}

/** Whether the files in a subfolder with this name count. */
export function isEntered(name: string, { recursive, after }: Scope): boolean {
  if (!recursive || isIgnoredName(name)) return false;
  return after === 'leave' || (name !== movedFolders.succeeded && name !== movedFolders.failed);
}

export function isFileName(name: string, { filters }: Scope): boolean {
  if (isIgnoredName(name)) return false;
  const lower = name.toLowerCase();
  return (
    filters.length === 0 || filters.some((filter) => lower.endsWith(filter) && lower.length > filter.length)
  );
}

/** Whether a file at this path counts. */
export function isInScope(path: string, scope: Scope): boolean {
  return isFileName(basename(path), scope) && isFolderInScope(path, scope);
}

/**
 * How a trigger would find what is written in a folder: its own folder is that one or is inside it, or it enters it from above. Null
 * if it would not.
 */
export function relationTo(folder: string, scope: Scope): 'inside' | 'around' | null {
  if (scope.path === folder || scope.path.startsWith(folder + sep)) return 'inside';
  return isFolderInScope(join(folder, 'any'), scope) ? 'around' : null;
}

/** Whether the folder of this path is the watched one, or one of its subfolders that count. */
export function isFolderInScope(path: string, scope: Scope): boolean {
  const prefix = scope.path.endsWith(sep) ? scope.path : scope.path + sep;
  if (!path.startsWith(prefix)) return false;
  const folders = relative(scope.path, path).split(sep).slice(0, -1);
  return folders.every((name) => isEntered(name, scope));
}

/** Whether a file may count for both triggers. */
export function mayShareFiles(one: Scope, other: Scope): boolean {
  const holds = (outer: Scope, inner: Scope) => isFolderInScope(join(inner.path, 'any'), outer);
  if (!holds(one, other) && !holds(other, one)) return false;
  if (one.filters.length === 0 || other.filters.length === 0) return true;
  return one.filters.some((a) => other.filters.some((b) => a.endsWith(b) || b.endsWith(a)));
}
