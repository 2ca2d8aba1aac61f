import { join } from 'node:path';

import { templates } from '../../../scripts/languages.ts';
import { assertNever } from '../../../shared/assert-never.ts';
import { quoteWord } from '../../command-lines.ts';
import { tr } from '../../language.ts';

export const languages: readonly string[] = templates.map(({ word }) => word);

export const inputKinds = ['files', 'folders', 'text', 'none'] as const;
export type InputKind = (typeof inputKinds)[number];

export interface NewScript {
  readonly id: string;
  readonly name: string;
  /** Empty if there is none. */
  readonly desc: string;
  /** A word of {@link languages}. */
  readonly language: string;
  readonly input: InputKind;
  readonly isNode: boolean;
}

/** A file of a new script, by its path in the folder. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

export function runLine({ id, name, input }: NewScript, folder: string, isNameTaken = false): string {
  const value = sampleValue(input, folder);
  // Use the id if the name is ambiguous or looks like an option.
  const word = isNameTaken || name.startsWith('-') ? id : quoteWord(name);
  return ['hob run', word, ...(value === null ? [] : [quoteWord(value)])].join(' ');
}

/** The file with the sample input of a new script; null if the script has no input. */
export function sampleFile(input: InputKind): NewFile | null {
  const text = `${greeting}\n`;
  if (input === 'none') return null;
  return { path: input === 'folders' ? 'sample/hello.txt' : 'sample.txt', text };
}

/** The sample input value for a script in this folder; null if the script has no input. */
export function sampleValue(input: InputKind, folder: string): string | null {
  switch (input) {
    case 'files':
      return join(folder, 'sample.txt');
    case 'folders':
      return join(folder, 'sample');
    case 'text':
      return greeting;
    case 'none':
      return null;
    default:
      return assertNever(input);
  }
}

interface InputWords {
  readonly label: string;
  readonly description: string;
  /** The unit that the sample script counts, and the items it counts in: "12 byte(s) in 1 file(s)". */
  readonly unit: string;
  readonly items: string;
}

/** Texts about the input in the files of a new script. */
export const inputWords: Readonly<Record<Exclude<InputKind, 'none'>, InputWords>> = {
  files: {
    label: tr('Files', '文件'),
    description: tr('Absolute paths of files.', '文件的绝对路径。'),
    unit: tr('byte(s)', '字节'),
    items: tr('file(s)', '个文件'),
  },
  folders: {
    label: tr('Folders', '文件夹'),
    description: tr('Absolute paths of folders.', '文件夹的绝对路径。'),
    unit: tr('entries', '项'),
    items: tr('folder(s)', '个文件夹'),
  },
  text: {
    label: tr('Text', '文本'),
    description: tr('A text.', '一段文本。'),
    unit: tr('character(s)', '个字符'),
    items: tr('text(s)', '段文本'),
  },
};

/** The message of the sample script, with placeholders in the syntax of its language. */
export function summaryOf(input: Exclude<InputKind, 'none'>, total: string, count: string): string {
  const { unit, items } = inputWords[input];
  return tr(`${total} ${unit} in ${count} ${items}`, `${count} ${items}，共 ${total} ${unit}`);
}

export const greeting = tr('Hello', '你好');
