const segment = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$/;
const windowsDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;

export interface RepoId {
  readonly owner: string;
  readonly name: string;
}

/** Parses exactly `owner/name`, else returns null. Does not decode or correct the text, because it becomes a path. */
export function parseRepoId(text: string): RepoId | null {
  const [owner, name, ...rest] = text.split('/');
  if (owner === undefined || name === undefined || rest.length > 0) return null;
  const isSafe = (part: string) =>
    segment.test(part) &&
    !part.includes('..') &&
    // `a--b/c` and `a/b--c` would share a folder of the Hugging Face cache.
    !part.includes('--') &&
    !part.toLowerCase().endsWith('.git') &&
    !windowsDevice.test(part);
  return isSafe(owner) && isSafe(name) ? { owner, name } : null;
}

export function formatRepoId({ owner, name }: RepoId): string {
  return `${owner}/${name}`;
}
