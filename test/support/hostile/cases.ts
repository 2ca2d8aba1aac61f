import type { ErrorCode } from '../../../src/shared/errors.ts';

export interface Case {
  /** The defect, as the end of "a package is refused for". */
  what: string;
  code: ErrorCode;
  /** A text that the message must contain. */
  names: string;
}

/** A path deeper than any package may have. */
export const deepPath = `${Array.from({ length: 100 }, () => 'd').join('/')}/file`;

export const badNames: [what: string, name: string, shown: string][] = [
  ['a path that leaves the folder', '../evil', '../evil'],
  ['a path that leaves the folder further down', 'a/b/../../../evil', 'a/b/../../../evil'],
  ['a path that leaves the folder by backslashes', '..\\evil', '..\\evil'],
  ['an absolute path', '/tmp/evil', '/tmp/evil'],
  ['a drive', 'C:\\evil', 'C:\\evil'],
  ['a drive without a slash', 'C:evil', 'C:evil'],
  ['a Windows network share', '\\\\server\\share\\evil', '\\\\server\\share\\evil'],
  ['a control character', 'a\u0007b', 'a\\x07b'],
  ['a line feed', 'a\nb', 'a\\x0ab'],
  ['a terminal escape', 'a\u001b[31mred', 'a\\x1b[31mred'],
  ['a character that reverses the text direction', 'gpj\u202eexe.sh', 'gpj\\u202eexe.sh'],
  ['a Windows device name', 'CON', 'CON'],
  ['a Windows device name with an extension', 'sub/nul.txt', 'sub/nul.txt'],
  ['a Windows device name with a space', 'COM1 .tar.gz', 'COM1 .tar.gz'],
  ['a trailing dot', 'file.', 'file.'],
  ['a trailing space', 'folder /file', 'folder /file'],
  ['an alternate data stream', 'file.txt:hidden', 'file.txt:hidden'],
];
