import { basename } from 'node:path';

import { tr } from '../language.ts';
import { nearestName } from '../nearest-name.ts';
import { exactMatches, type KnownScript, pickScript, shortId } from '../pick-script.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';

/** No script matches the name. */
export class UnknownScriptError extends UserError {}

/**
 * Finds a script by id, id prefix or exact name. If there is no exact match, it compares without case, then with folder names, then with
 * parts of names, and needs a single match.
 */
export function guessScript<Known extends KnownScript>(known: readonly Known[], wanted: string): Known {
  if (exactMatches(known, wanted).length > 0) return pickScript(known, wanted);
  const lower = wanted.trim().toLowerCase();
  const nameOf = ({ name }: Known) => name.toLowerCase();
  const folderOf = ({ folder = '' }: Known) => basename(folder).toLowerCase();
  const ways: readonly ((script: Known) => boolean)[] = [
    (script) => nameOf(script) === lower,
    (script) => folderOf(script) === lower,
    (script) => nameOf(script).includes(lower),
    (script) => folderOf(script).includes(lower),
  ];
  const found =
    lower === '' ? [] : (ways.map((fits) => known.filter(fits)).find(({ length }) => length > 0) ?? []);
  const [only, ...others] = found;
  if (only === undefined) throw unknownScript(known, wanted);
  if (others.length === 0) return only;
  const shown = printable(wanted);
  throw new UserError(
    `${tr(`Several scripts match "${shown}". Use the full name or the id:`, `有多个脚本匹配 “${shown}”，请用名称或 ID 指明：`)}\n${candidateLines(found)}`,
  );
}

function unknownScript(known: readonly KnownScript[], wanted: string): UnknownScriptError {
  const shown = printable(wanted);
  const names = known.map(({ name }) => name);
  const nearest = nearestName(wanted, names);
  const meant =
    nearest === null ? '' : tr(` Did you mean "${printable(nearest)}"?`, `是不是 “${printable(nearest)}”？`);
  return new UnknownScriptError(
    tr(`No script matches "${shown}".`, `没有匹配 “${shown}” 的脚本。`) +
      meant +
      tr('\nTo list all scripts: hob list', '\nhob list 列出所有脚本。'),
  );
}

function candidateLines(found: readonly KnownScript[]): string {
  const ids = found.map(({ id }) => id);
  return found.map(({ id, name }) => `  ${shortId(id, ids)}  ${printable(name)}`).join('\n');
}
