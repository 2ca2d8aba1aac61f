import { access } from 'node:fs/promises';
import { resolve } from 'node:path';

import { exitCodes, UserError } from '../user-error.ts';

/** `https://…`, `git@host:path` and `host:path.git`; a single letter before the colon is a drive of Windows. */
const address = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^\s/\\:]+@[^\s/\\:]+:|[\w-][\w.-]+:(?!\\)[^\s]*\.git(?:#|$))/i;

/** What the service is to fetch: addresses go on as they are, paths are made absolute, since the service works elsewhere. */
export async function sourceArgument(text: string, base: string = process.cwd()): Promise<string> {
  if (text.trim() === '')
    throw new UserError('Say what to install: a folder, an archive or a git address.', exitCodes.usage);
  const path = resolve(base, text);
  if (await exists(path)) return path;
  if (address.test(text)) return text;
  // A repository on this disk, with the branch that is wanted.
  const withoutRef = /^(.+)#[^#]+$/.exec(path)?.[1];
  if (withoutRef !== undefined && (await exists(withoutRef))) return path;
  const hint = /^[\w-]+(?:\.[\w-]+)+\/[\w.-]+\/[\w.-]+$/.test(text)
    ? `\nAn address of a git repository begins with https:// or git@: https://${text}`
    : '';
  throw new UserError(`There is nothing at ${path}.${hint}`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
