import { shellWord } from '../command-lines.ts';
import { xmlText } from '../xml-text.ts';
import { type Launch, type MenuScript, menuRunWords } from './menu-script.ts';
import { entryComment } from './words.ts';
import { findXmlChildren, type XmlElement, xmlTextOf } from './xml-children.ts';

/** A custom action of Thunar. */
export interface ThunarAction {
  /** Unique in the file. It begins with the prefix of the home, so that Hob finds its own actions. */
  readonly id: string;
  readonly text: string;
}

const fileTypes = ['audio-files', 'image-files', 'other-files', 'text-files', 'video-files'] as const;

/**
 * The actions of a script. Thunar shows an action only if it fits all selected items: with filters, files and folders need one each,
 * and without, one for both also fits a selection of both. It shows an action for folders also on the empty space of a folder.
 */
export function thunarActions(script: MenuScript, launch: Launch, prefix: string): ThunarAction[] {
  const { menu } = script;
  if (menu === null) return [];
  const onFiles = menu.targets.includes('files');
  const onFolders = menu.targets.some((target) => target !== 'files');
  const action = (part: string, patterns: readonly string[], types: readonly string[]): ThunarAction => {
    const id = `${prefix}${script.id}-${part}`;
    return { id, text: actionText(script, launch, { id, patterns, types }) };
  };
  if (onFiles && onFolders && menu.filters.length === 0)
    return [action('all', ['*'], ['directories', ...fileTypes])];
  return [
    ...(onFiles ? [action('files', patternsOf(menu.filters), fileTypes)] : []),
    ...(onFolders ? [action('folders', ['*'], ['directories'])] : []),
  ];
}

function actionText(
  { id: scriptId, label, description, icon, takesOne }: MenuScript,
  launch: Launch,
  { id, patterns, types }: { id: string; patterns: readonly string[]; types: readonly string[] },
): string {
  const comment = entryComment(description);
  // %F passes all selected files. With %f, Thunar shows the action for a single file only.
  const command = `${menuRunWords(launch, scriptId).map(thunarWord).join(' ')} ${takesOne ? '%f' : '%F'}`;
  const lines = [
    // An underscore marks the letter that activates an entry.
    `<name>${xmlText(label.replaceAll('_', '__'))}</name>`,
    `<unique-id>${xmlText(id)}</unique-id>`,
    `<icon>${xmlText(icon ?? '')}</icon>`,
    `<command>${xmlText(command)}</command>`,
    `<description>${xmlText(comment.en)}</description>`,
    ...(comment.zh === comment.en
      ? []
      : [`<description xml:lang="zh_CN">${xmlText(comment.zh)}</description>`]),
    `<patterns>${xmlText(patterns.join(';'))}</patterns>`,
    ...types.map((type) => `<${type}/>`),
  ];
  return `<action>\n${lines.map((line) => `\t${line}\n`).join('')}</action>`;
}

/** Thunar passes the command to sh, after it has replaced its tokens. */
function thunarWord(text: string): string {
  return shellWord(text).replaceAll('%', '%%');
}

/** Thunar compares with case, so that the usual spellings are listed. Hob itself compares without case. */
function patternsOf(filters: readonly string[]): string[] {
  if (filters.length === 0) return ['*'];
  const spellings = filters.flatMap((filter) => [
    filter,
    filter.toUpperCase(),
    filter.replace(/\p{L}/u, (letter) => letter.toUpperCase()),
  ]);
  // A semicolon separates patterns.
  return [...new Set(spellings)].map((spelling) => `*${spelling.replaceAll(';', '?')}`);
}

/** Thrown for a file that is not XML as Thunar writes it. It stays untouched. */
export class BrokenActionsError extends Error {}

/** Sets the actions of Hob in the file of the user. The rest of the text stays the same, byte for byte. */
export function mergeActions(text: string, prefix: string, wanted: readonly ThunarAction[]): string {
  const { root, own } = readActions(text, prefix);
  const byId = new Map(wanted.map((action) => [action.id, action]));
  let merged = text;
  const kept = new Set<string>();
  // From the end, so that earlier offsets stay valid.
  for (const { id, element } of own.toReversed()) {
    const action = kept.has(id) ? undefined : byId.get(id);
    if (action === undefined) merged = without(merged, element);
    else if (!isSameAction(text.slice(element.start, element.end), action.text))
      merged = merged.slice(0, element.start) + action.text + merged.slice(element.end);
    if (action !== undefined) kept.add(id);
  }
  const added = wanted.filter(({ id }) => !kept.has(id)).map((action) => `${action.text}\n`);
  const content = {
    start: root.contentStart,
    end: root.contentEnd + merged.length - text.length,
  };
  if (added.length > 0)
    return root.contentStart === root.end
      ? openRoot(text, root, added.join(''))
      : merged.slice(0, content.end) + added.join('') + merged.slice(content.end);
  return own.length === 0 ? merged : closeRoot(merged, content);
}

/** The white space records that the root was an empty-element tag. XML allows it here, and no program writes it. */
const endTag = '</actions\t>';

/** Replaces an empty-element tag such as <actions/>. */
function openRoot(text: string, { start, end }: XmlElement, content: string): string {
  const tag = text.slice(start, end).replace(/\/>$/, '>');
  return `${text.slice(0, start)}${tag}\n${content}${endTag}${text.slice(end)}`;
}

/** Restores the empty-element tag after its last action was removed. */
function closeRoot(text: string, { start, end }: { start: number; end: number }): string {
  if (text.slice(start, end) !== '\n' || !text.startsWith(endTag, end)) return text;
  return `${text.slice(0, start - '>'.length)}/>${text.slice(end + endTag.length)}`;
}

/** The actions of Hob in the file, by their ids. */
export function ownActions(text: string, prefix: string): ThunarAction[] {
  return readActions(text, prefix).own.map(({ id, element }) => ({
    id,
    text: text.slice(element.start, element.end),
  }));
}

function readActions(text: string, prefix: string) {
  const document = findXmlChildren(text);
  if (document === null || document.root.name !== 'actions') throw new BrokenActionsError();
  const own = document.children.flatMap((element) => {
    const id = fieldsOf(text.slice(element.start, element.end))?.get('unique-id') ?? '';
    return element.name === 'action' && id.startsWith(prefix) ? [{ id, element }] : [];
  });
  return { root: document.root, own };
}

/** When the user edits an action, Thunar formats the whole file and drops texts in other languages. That is no change. */
export function isSameAction(one: string, other: string): boolean {
  const [first, second] = [fieldsOf(one), fieldsOf(other)];
  const fields = ['name', 'command', 'patterns', 'directories', ...fileTypes];
  return fields.every((field) => first?.get(field) === second?.get(field));
}

/** The texts of the fields of an action. The first of several wins: it has no language. */
function fieldsOf(text: string): Map<string, string> | null {
  const document = findXmlChildren(text);
  if (document === null) return null;
  const fields = new Map<string, string>();
  for (const element of document.children)
    if (!fields.has(element.name)) fields.set(element.name, xmlTextOf(text, element));
  return fields;
}

/** Removes an element and the line break after it, which was added with it. */
function without(text: string, { start, end }: XmlElement): string {
  const after = text.slice(end).replace(/^\r?\n/, '');
  return text.slice(0, start) + after;
}
