import { basename, dirname, extname } from 'node:path';
import type { Problem, ScriptDetail, ScriptList } from '../contract/types.ts';
import { tr } from './language.ts';
import { RefusedError, type ServiceClient } from './service-client.ts';
import { printable } from './terminal/text.ts';
import { UserError, userError } from './user-error.ts';

export interface KnownScript {
  readonly id: string;
  readonly slug?: string;
  readonly name: string;
  readonly folder?: string;
}

/** A shorter prefix is more likely a mistyped name than an id. */
const shortestPrefix = 4;
const shownPrefix = 8;

/** Finds a script by id, id prefix, slug or exact name. Throws if there is none or more than one. */
export function pickScript<Known extends KnownScript>(known: readonly Known[], wanted: string): Known {
  const found = exactMatches(known, wanted);
  const [only, ...others] = found;
  const shown = printable(wanted);
  if (only === undefined)
    throw userError(
      `No script has the id, slug or name "${shown}". Names must match exactly. To list all scripts: hob list`,
      `没有 ID、slug 或名称为 “${shown}” 的脚本。名称须完全一致。列出所有脚本：hob list`,
    );
  if (others.length === 0) return only;
  if (others.every(({ id }) => id === only.id)) throw duplicateId(found);
  const labels = found.map((script) => labelOf(script, known)).join(', ');
  const isNamed = found.some(({ name }) => name === wanted);
  const what = found.some(({ slug }) => slug === wanted)
    ? tr(
        `"${shown}" is the slug of one script and the name of another.`,
        `“${shown}” 是一个脚本的 slug，也是另一个脚本的名称。`,
      )
    : isNamed
      ? tr(`Several scripts are named "${shown}".`, `有多个脚本名为 “${shown}”。`)
      : tr(`Several script ids begin with ${shown}.`, `有多个脚本的 ID 以 ${shown} 开头。`);
  throw new UserError(`${what}${tr(` Use one of these: ${labels}`, `请从中指明一个：${labels}`)}`);
}

/** `resize-2 (6e0a3c52)`: two ways to name a script without doubt. A package that is not loaded has no slug. */
function labelOf({ id, slug }: KnownScript, known: readonly KnownScript[]): string {
  const digits = shortId(
    id,
    known.map((script) => script.id),
  );
  return slug === undefined ? digits : `${slug} (${digits})`;
}

/** Error for scripts that share an id, for example because a folder was copied. None of them runs until the ids differ. */
function duplicateId(found: readonly KnownScript[]): UserError {
  const folders = found.map(({ folder }) => `\n  ${printable(folder ?? '')}`).join('');
  return userError(
    `Several scripts have the same id, so none of them can run:${folders}\nChange the id in all but one of their manifests. To generate an id: uuidgen`,
    `有多个脚本的 ID 相同，因此都无法运行：${folders}\n请在清单中为其中一个以外的脚本换上新的 ID（可用 uuidgen 生成）。`,
  );
}

/** The scripts with this id, slug or name, or else with this id prefix. */
export function exactMatches<Known extends KnownScript>(known: readonly Known[], wanted: string): Known[] {
  const lower = wanted.toLowerCase();
  const byId = known.filter(({ id }) => id.toLowerCase() === lower);
  if (byId.length > 0) return byId;
  const byName = known.filter(({ name }) => name === wanted);
  const bySlug = known.filter(({ slug }) => slug === wanted);
  // Scripts may share a name, but not a slug. If the slug belongs to a script with another name, both are possible.
  if (bySlug.some((script) => byName.length === 0 || byName.includes(script))) return bySlug;
  // A name comes before a prefix: a script may be named `cafe`.
  if (byName.length > 0) return [...bySlug, ...byName];
  const isPrefix = lower.length >= shortestPrefix && /^[0-9a-f-]+$/.test(lower);
  return isPrefix ? known.filter(({ id }) => id.toLowerCase().startsWith(lower)) : [];
}

/** The shortest prefix that is unique among all ids, at least 8 characters long. */
export function shortId(id: string, all: readonly string[]): string {
  for (let length = shownPrefix; length < id.length; length++) {
    const prefix = id.slice(0, length);
    if (all.filter((other) => other.startsWith(prefix)).length <= 1) return prefix.replace(/-$/, '');
  }
  return id;
}

/** The most similar name, if it is similar enough to be a typing error; else null. */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  const lower = wanted.toLowerCase();
  const [nearest] = names
    .map((name) => ({ name, distance: distanceOf(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const most = Math.ceil(wanted.length / 3);
  return nearest !== undefined && nearest.distance <= most ? nearest.name : null;
}

/** Levenshtein distance: inserted, deleted and replaced characters. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

export class UnknownScriptError extends UserError {}

/**
 * Finds a script by id, id prefix, slug or exact name. If there is no exact match, it compares without case, then with folder names, then with
 * parts of names, and needs a single match.
 */
export function guessScript<Known extends KnownScript>(known: readonly Known[], wanted: string): Known {
  if (exactMatches(known, wanted).length > 0) return pickScript(known, wanted);
  const lower = wanted.trim().toLowerCase();
  const nameOf = ({ name }: Known) => name.toLowerCase();
  const folderOf = ({ folder = '' }: Known) => basename(folder).toLowerCase();
  const ways: readonly ((script: Known) => boolean)[] = [
    (script) => script.slug === lower || nameOf(script) === lower,
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
  const lines = found.map((script) => `\n  ${labelOf(script, known)}  ${printable(script.name)}`).join('');
  throw userError(
    `Several scripts match "${shown}". Use one of these:${lines}`,
    `有多个脚本匹配 “${shown}”，请从中指明一个：${lines}`,
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

/** Finds a script among those of the service. If the name belongs to a script with a broken manifest, the error names the problem. */
export async function findKnownScript(client: ServiceClient, wanted: string): Promise<KnownScript> {
  const { scripts, problems } = await client.get<ScriptList>('/api/scripts');
  try {
    const former = exactMatches(scripts, wanted).length === 0 ? await bySlugOfBefore(client, wanted) : null;
    return former ?? guessScript(scripts, wanted);
  } catch (error) {
    if (!(error instanceof UnknownScriptError)) throw error;
    const errors = problems.filter(({ severity }) => severity === 'error');
    const sought = simplified(wanted);
    const own = errors.find((problem) => simplified(basename(folderOf(problem))).includes(sought));
    if (sought !== '' && own !== undefined) {
      const [folder, message, advice] = [folderOf(own), own.message, own.advice].map(printable);
      throw userError(
        `The script in ${folder} cannot run: ${message}\n${advice}`,
        `${folder} 中的脚本无法运行：${message}\n${advice}`,
      );
    }
    if (errors.length === 0) throw error;
    throw new UserError(
      error.message +
        tr(
          '\nSome scripts cannot run. hob list shows the reasons.',
          '\n有些脚本无法运行，hob list 会说明原因。',
        ),
    );
  }
}

/** The script that had this slug before its manifest asked for another one; null if there is none. */
async function bySlugOfBefore(client: ServiceClient, wanted: string): Promise<KnownScript | null> {
  if (!/^[a-z0-9-]+$/i.test(wanted)) return null;
  return getScript(client, wanted).catch((error: unknown) => {
    if (error instanceof RefusedError && error.code === 'script-unknown') return null;
    throw error;
  });
}

export function folderOf({ file }: Problem): string {
  return extname(file) === '' ? file : dirname(file);
}

/** Without case and punctuation, so that `count-words` and `Count words` are equal. */
function simplified(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

export async function findScript(client: ServiceClient, wanted: string): Promise<ScriptDetail> {
  return getScript(client, (await findKnownScript(client, wanted)).id);
}

export function getScript(client: ServiceClient, id: string): Promise<ScriptDetail> {
  return client.get(`/api/scripts/${encodeURIComponent(id)}`);
}
