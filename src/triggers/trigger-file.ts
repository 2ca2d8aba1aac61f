import { isUtf8 } from 'node:buffer';
import { unwatchFile, watchFile } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { KeyLocator } from '../scripts/locate-keys.ts';
import { parseToml } from '../scripts/manifest-toml.ts';
import { AppError, errnoOf } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import { replacePrivateFile } from '../shared/private-files.ts';
import { type ReadFailure, readRegularFile } from '../shared/read-regular-file.ts';
import type { Text } from '../shared/text.ts';
import { editEntry, isSameJson, withoutEmptyList } from './edit-file.ts';

/** 10,000 triggers fit. */
const largestBytes = 8 * 1024 * 1024;
/** A file that is asked for once a second is noticed in every editor and on every file system. */
const pollMs = 1000;

export interface WrittenEntry {
  readonly fields: JsonObject;
  readonly line: number | null;
}

/** Why the whole file cannot be used. */
export interface FileProblem {
  readonly line: number | null;
  readonly message: Text;
  readonly advice: Text;
}

export interface FileEntries {
  readonly kind: 'entries';
  readonly text: string;
  readonly entries: readonly WrittenEntry[];
}

export type FileState = FileEntries | { readonly kind: 'broken'; readonly problem: FileProblem };

/** `index` null adds an entry; `entry` null removes one. */
export interface EntryChange {
  readonly index: number | null;
  readonly entry: JsonObject | null;
}

/** The file triggers.toml. The user edits it, and so does Hob, which changes one entry and keeps the rest as it is. */
export class TriggerFile {
  readonly path: string;
  /** Published when the file has other content than at the last read. */
  readonly changed = new Feed<FileState>();
  #state: FileState = { kind: 'entries', text: '', entries: [] };
  #work: Promise<unknown> = Promise.resolve();
  #isWatching = false;
  readonly #log: Logger | null;

  /** `log`: where a failure is reported that follows a change by someone else. */
  constructor(path: string, log: Logger | null = null) {
    this.path = path;
    this.#log = log;
  }

  get state(): FileState {
    return this.#state;
  }

  /** Reads the file now, and again whenever it changes. */
  async open(): Promise<FileState> {
    await this.#inTurn(() => this.#read());
    // `watchFile` also notices a file that appears, and one that an editor replaces.
    watchFile(this.path, { interval: pollMs, persistent: false }, this.#onChange);
    this.#isWatching = true;
    return this.#state;
  }

  async close(): Promise<void> {
    if (this.#isWatching) unwatchFile(this.path, this.#onChange);
    this.#isWatching = false;
    await this.#work.catch(() => {});
  }

  /**
   * Changes one entry, or adds it if `change` names no index. `change` gets the entries as they are on disk now, so that no edit
   * in an editor is lost.
   */
  edit(change: (entries: readonly WrittenEntry[]) => EntryChange | null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#read();
      const state = this.#state;
      if (state.kind === 'broken') throw brokenFile(this.path, state.problem);
      const wanted = change(state.entries);
      if (wanted === null) return;
      const { text } = changeEntry(this.path, state, wanted);
      await replacePrivateFile(await this.#target(), text, { durable: true });
      await this.#read();
    });
  }

  readonly #onChange = (): void => {
    void this.#inTurn(() => this.#read()).catch((error: unknown) => {
      this.#log?.error({ err: error, file: this.path }, 'a change of triggers.toml cannot be applied');
    });
  };

  /** A link stays a link: some people keep their settings in another folder. */
  async #target(): Promise<string> {
    try {
      return await realpath(this.path);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' && (await missingTarget(this.path)) === null) return this.path;
      throw error;
    }
  }

  async #read(): Promise<void> {
    const before = this.#state;
    this.#state = await readFile(this.path, before);
    if (!isSameState(before, this.#state)) this.changed.publish(this.#state);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work, work);
    this.#work = result.catch(() => {});
    return result;
  }
}

/**
 * Makes one change in the text of the file. It throws if the new text would not have the same entries with exactly this change: TOML
 * has forms that cannot be edited by lines, such as `trigger = [{ … }, { … }]`, and JSON has values that TOML has not.
 */
export function changeEntry(path: string, before: FileEntries, change: EntryChange): FileEntries {
  const { index, entry } = change;
  const old = before.entries.map(({ fields }) => fields);
  const added = entry === null ? [] : [entry];
  const wanted = index === null ? [...old, ...added] : old.toSpliced(index, 1, ...added);
  const text = editedText(before, change);
  if (text !== null && Buffer.byteLength(text) > largestBytes) throw tooLarge();
  const after = text === null ? null : parseEntries(Buffer.from(text));
  if (after?.kind === 'entries' && hasFields(after, wanted)) return after;
  if (entry !== null && !isWritable(entry)) throw notWritable();
  throw brokenFile(path, { line: before.entries[0]?.line ?? null, ...cannotEdit });
}

function editedText({ text, entries }: FileEntries, { index, entry }: EntryChange): string | null {
  try {
    const lines = entries.map(({ line }) => line);
    return editEntry(entries.length === 0 ? withoutEmptyList(text) : text, index, entry, lines);
  } catch {
    // The part of the text that should be one entry is not valid TOML by itself.
    return null;
  }
}

function hasFields({ entries }: FileEntries, wanted: readonly JsonObject[]): boolean {
  return isSameJson(
    entries.map(({ fields }) => fields),
    wanted,
  );
}

/** Whether an entry can be read again from a file that contains nothing else. */
function isWritable(entry: JsonObject): boolean {
  const text = editedText({ kind: 'entries', text: '', entries: [] }, { index: null, entry });
  const alone = text === null ? null : parseEntries(Buffer.from(text));
  return alone?.kind === 'entries' && hasFields(alone, [entry]);
}

/** `before`: the state as of the last read, which is returned if the text is still the same. */
async function readFile(path: string, before: FileState): Promise<FileState> {
  const content = await readRegularFile(path, { maxBytes: largestBytes });
  if (content.kind === 'missing') {
    const target = await missingTarget(path);
    return target === null ? { kind: 'entries', text: '', entries: [] } : missingLink(target);
  }
  if (content.kind !== 'content') return unusableFile(content);
  if (before.kind === 'entries' && content.bytes.equals(Buffer.from(before.text))) return before;
  return parseEntries(content.bytes);
}

function unusableFile(failure: ReadFailure): FileState {
  if (failure.kind === 'too-large')
    return broken(null, {
      en: 'The file is larger than 8 MiB',
      zh: '文件超过 8 MiB',
      advice: { en: 'Remove entries that you do not need.', zh: '请删除不需要的条目。' },
    });
  if (failure.kind === 'not-regular') {
    const { en, zh } = places[failure.what];
    return broken(null, {
      en: `There is ${en} in place of the file`,
      zh: `此处应为文件，实际为${zh}`,
      advice: { en: 'Move it away, or put a text file in its place.', zh: '请将其移走，或换成文本文件。' },
    });
  }
  const reason = failure.kind === 'unreadable' ? failure.errno : failure.kind;
  return broken(null, {
    en: `The file cannot be read (${reason})`,
    zh: `无法读取文件（${reason}）`,
    advice: { en: 'Make it a readable text file.', zh: '请确保它是可读的文本文件。' },
  });
}

const places: Readonly<Record<'folder' | 'link' | 'special file', Text>> = {
  folder: { en: 'a folder', zh: '文件夹' },
  // A link to a file is followed.
  link: { en: 'a link to itself', zh: '指向自身的链接' },
  'special file': { en: 'a special file', zh: '特殊文件' },
};

/** Where a link leads that leads to nothing; null if there is no link. Its target may be on a disk that is not mounted. */
async function missingTarget(path: string): Promise<string | null> {
  try {
    const target = resolve(dirname(path), await readlink(path));
    return (await missingTarget(target)) ?? target;
  } catch {
    return null;
  }
}

function missingLink(target: string): FileState {
  return broken(null, {
    en: `The file is a link to ${target}, which does not exist`,
    zh: `该文件是指向 ${target} 的链接，但目标不存在`,
    advice: {
      en: 'Make the target available again, create it, or remove the link.',
      zh: '请恢复或创建目标文件，或删除该链接。',
    },
  });
}

function parseEntries(bytes: Buffer): FileState {
  const parsed = parseToml(bytes);
  if (parsed.kind === 'invalid') return broken(parsed.line, { ...parsed.message, advice: parsed.advice });
  const { table, text } = parsed;
  // Such bytes were replaced in the text, so the next edit would destroy them.
  if (text.includes('\uFFFD') && !isUtf8(bytes))
    return broken(null, {
      en: 'The file is not UTF-8',
      zh: '文件不是 UTF-8 编码',
      advice: { en: 'Save it as UTF-8.', zh: '请以 UTF-8 编码保存。' },
    });
  const locator = new KeyLocator(text);
  const other = Object.keys(table).find((key) => key !== 'trigger');
  const list = table.trigger ?? [];
  if (other !== undefined || !Array.isArray(list) || !list.every(isJsonObject))
    return broken(locator.lineOf([other ?? 'trigger']), {
      en: `The file may contain only [[trigger]] tables${other === undefined ? '' : `, not ${JSON.stringify(other)}`}`,
      zh: `文件中只能有 [[trigger]] 表${other === undefined ? '' : `，不能有 ${JSON.stringify(other)}`}`,
      advice: {
        en: 'Begin each trigger with a line [[trigger]].',
        zh: '每个触发器以一行 [[trigger]] 开头。',
      },
    });
  const lines = headerLines(text);
  const lineOf = (index: number) =>
    lines.length === list.length ? (lines[index] ?? null) : locator.lineOf(['trigger', index]);
  return { kind: 'entries', text, entries: list.map((fields, index) => ({ fields, line: lineOf(index) })) };
}

/**
 * The lines with `[[trigger]]`: if there are as many as entries, they are the headers. None if a line begins with another pair of
 * brackets, because an entry may be written in another way, and a line of a text may look like a header.
 */
function headerLines(text: string): number[] {
  const lines: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (!/^[ \t]*\[[ \t]*\[/.test(line)) continue;
    if (!/^[ \t]*\[\[[ \t]*trigger[ \t]*\]\]/.test(line)) return [];
    lines.push(index + 1);
  }
  return lines;
}

function isSameState(one: FileState, other: FileState): boolean {
  if (one === other) return true;
  if (one.kind === 'entries' && other.kind === 'entries') return one.text === other.text;
  return JSON.stringify(one) === JSON.stringify(other);
}

function broken(line: number | null, { advice, ...message }: Text & { advice: Text }): FileState {
  return { kind: 'broken', problem: { line, message: { en: message.en, zh: message.zh }, advice } };
}

function brokenFile(path: string, { line, message, advice }: FileProblem): AppError {
  const place = line === null ? path : `${path}:${line}`;
  return new AppError(
    'triggers-file-broken',
    { en: `${place}: ${message.en}. Nothing was changed.`, zh: `${place}：${message.zh}。未作任何更改。` },
    { hint: advice, files: [path] },
  );
}

const cannotEdit = {
  message: {
    en: 'The triggers are written in a form that Hob can read but not change',
    zh: '触发器的写法可以读取，但 Hob 无法修改',
  },
  advice: {
    en: 'Write each trigger as a [[trigger]] table, or change the file in an editor.',
    zh: '请将每个触发器写成一个 [[trigger]] 表，或用编辑器修改该文件。',
  },
};

function notWritable(): AppError {
  return new AppError('trigger-invalid', {
    en: 'The trigger has a value that triggers.toml cannot hold. Nothing was changed.',
    zh: '该触发器含有 triggers.toml 无法保存的值。未作任何更改。',
    hint: {
      en: 'Leave out null, deep nesting and incomplete characters.',
      zh: '请不要使用 null、过深的嵌套或不完整的字符。',
    },
  });
}

function tooLarge(): AppError {
  return new AppError('trigger-invalid', {
    en: `triggers.toml would be larger than ${largestBytes} bytes.`,
    zh: `triggers.toml 将超过 ${largestBytes} 字节。`,
  });
}
