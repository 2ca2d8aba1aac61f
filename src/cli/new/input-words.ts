import { tr } from '../language.ts';
import type { InputKind } from './new-script.ts';

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
