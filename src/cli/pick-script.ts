import type { Json } from '../shared/json.ts';
import { objectsIn, textOf } from './answer-fields.ts';
import { tr } from './language.ts';
import { printable } from './terminal/text-width.ts';
import { UserError } from './user-error.ts';

export interface KnownScript {
  readonly id: string;
  readonly name: string;
  readonly folder?: string;
}

/** A shorter prefix is more likely a mistyped name than an id. */
const shortestPrefix = 4;
const shownPrefix = 8;

/** Reads from GET /api/scripts what is needed to identify a script. */
export function scriptsIn(scripts: Json | undefined): KnownScript[] {
  return objectsIn(scripts).map(({ id, name, folder }) => ({
    id: textOf(id) ?? '',
    name: textOf(name) ?? '',
    folder: textOf(folder) ?? '',
  }));
}

/** Finds a script by id, id prefix or exact name. Throws if there is none or more than one. */
export function pickScript<Known extends KnownScript>(known: readonly Known[], wanted: string): Known {
  const found = exactMatches(known, wanted);
  const [only, ...others] = found;
  const shown = printable(wanted);
  if (only === undefined)
    throw new UserError(
      tr(
        `No script has the id or name "${shown}". Names must match exactly. To list all scripts: hob list`,
        `没有 ID 或名称为 “${shown}” 的脚本。名称须完全一致。列出所有脚本：hob list`,
      ),
    );
  if (others.length === 0) return only;
  if (others.every(({ id }) => id === only.id)) throw duplicateId(found);
  const ids = found.map(({ id }) => id).join(', ');
  const what =
    only.name === wanted
      ? tr(`Several scripts are named "${shown}".`, `有多个脚本名为 “${shown}”。`)
      : tr(`Several script ids begin with ${shown}.`, `有多个脚本的 ID 以 ${shown} 开头。`);
  throw new UserError(`${what}${tr(` Use one of these ids: ${ids}`, `请用 ID 指明：${ids}`)}`);
}

/** Error for scripts that share an id, for example because a folder was copied. None of them runs until the ids differ. */
function duplicateId(found: readonly KnownScript[]): UserError {
  const folders = found.map(({ folder }) => `\n  ${printable(folder ?? '')}`).join('');
  return new UserError(
    tr(
      `Several scripts have the same id, so none of them can run:${folders}\nChange the id in all but one of their manifests. To generate an id: uuidgen`,
      `有多个脚本的 ID 相同，因此都无法运行：${folders}\n请在清单中为其中一个以外的脚本换上新的 ID（可用 uuidgen 生成）。`,
    ),
  );
}

/** The scripts with this id or name, or else with this id prefix. */
export function exactMatches<Known extends KnownScript>(known: readonly Known[], wanted: string): Known[] {
  const lower = wanted.toLowerCase();
  const byId = known.filter(({ id }) => id.toLowerCase() === lower);
  if (byId.length > 0) return byId;
  const byName = known.filter(({ name }) => name === wanted);
  // A name comes before a prefix: a script may be named `cafe`.
  return byName.length > 0 ? byName : known.filter(({ id }) => isPrefix(lower, id));
}

/** The shortest prefix that is unique among all ids, at least 8 characters long. */
export function shortId(id: string, all: readonly string[]): string {
  for (let length = shownPrefix; length < id.length; length++) {
    const prefix = id.slice(0, length);
    if (all.filter((other) => other.startsWith(prefix)).length <= 1) return prefix.replace(/-$/, '');
  }
  return id;
}

function isPrefix(text: string, id: string): boolean {
  return text.length >= shortestPrefix && /^[0-9a-f-]+$/.test(text) && id.toLowerCase().startsWith(text);
}
