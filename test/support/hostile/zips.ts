import type { ZipEntry } from '../archives.ts';
import { someScript } from '../archives.ts';
import { badNames, type Case, deepPath } from './cases.ts';

/** Zip entries that must be refused, next to those of a valid script. */
export const zipCases: (Case & { zip: readonly ZipEntry[] })[] = [
  ...badNames.map(
    ([what, name, names]) =>
      ({ what, code: 'package-unsafe', names, zip: [{ name, content: 'x' }] }) as const,
  ),
  { what: 'a NUL in a name', code: 'package-unsafe', names: 'a\\x00b', zip: [{ name: 'a\0b' }] },
  {
    what: 'a symbolic link',
    code: 'package-unsafe',
    names: '"link" is a symbolic link',
    zip: [{ name: 'link', content: '/etc', mode: 0o120777 }],
  },
  {
    what: 'a symbolic link and a file that would go through it',
    code: 'package-unsafe',
    names: '"link" is a symbolic link',
    zip: [
      { name: 'link', content: '/tmp', mode: 0o120777 },
      { name: 'link/evil', content: 'x' },
    ],
  },
  { what: 'a device', code: 'package-unsafe', names: '"null"', zip: [{ name: 'null', mode: 0o020666 }] },
  { what: 'a named pipe', code: 'package-unsafe', names: '"pipe"', zip: [{ name: 'pipe', mode: 0o010666 }] },
  { what: 'a socket', code: 'package-unsafe', names: '"socket"', zip: [{ name: 'socket', mode: 0o140666 }] },
  {
    what: 'names that differ by their case',
    code: 'package-unsafe',
    names: '"a" and "A"',
    zip: [{ name: 'a' }, { name: 'A' }],
  },
  {
    what: 'folders that differ by their case',
    code: 'package-unsafe',
    names: '"Lib" and "lib"',
    zip: [{ name: 'Lib/one' }, { name: 'lib/two' }],
  },
  {
    what: 'an é in two Unicode forms',
    code: 'package-unsafe',
    names: 'same file',
    zip: [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }],
  },
  {
    what: 'names that are equal in lower case',
    code: 'package-unsafe',
    names: 'same file',
    zip: [{ name: 'ΑΣ' }, { name: 'ασ' }],
  },
  {
    what: 'a file twice',
    code: 'package-unsafe',
    names: '"twice"',
    zip: [{ name: 'twice' }, { name: 'twice' }],
  },
  {
    what: 'a file where a folder must be',
    code: 'package-unsafe',
    names: '"both"',
    zip: [{ name: 'both' }, { name: 'both/file' }],
  },
  {
    what: 'a folder where a file must be',
    code: 'package-unsafe',
    names: '"both"',
    zip: [{ name: 'both/file' }, { name: 'both' }],
  },
  { what: 'a name of 300 bytes', code: 'package-too-large', names: 'aaaa', zip: [{ name: 'a'.repeat(300) }] },
  {
    what: 'a name of 300 bytes in UTF-8',
    code: 'package-too-large',
    names: '测测',
    zip: [{ name: '测'.repeat(100) }],
  },
  {
    what: 'a path of 2000 bytes',
    code: 'package-too-large',
    names: 'bbbb',
    zip: [{ name: Array(10).fill('b'.repeat(200)).join('/') }],
  },
  { what: 'folders that are 100 deep', code: 'package-too-large', names: 'd/d/d', zip: [{ name: deepPath }] },
  {
    what: 'an encrypted file',
    code: 'package-unreadable',
    names: '"secret" is encrypted',
    zip: [{ name: 'secret', content: 'x', flags: 0x801 }],
  },
  {
    what: 'a strongly encrypted file',
    code: 'package-unreadable',
    names: 'encryption',
    zip: [{ name: 'secret', content: 'x', flags: 0x841 }],
  },
  {
    what: 'an unknown compression',
    code: 'package-unreadable',
    names: '"lzma"',
    zip: [{ name: 'lzma', content: 'x', method: 14 }],
  },
  {
    what: 'a wrong checksum',
    code: 'package-unreadable',
    names: '"sum"',
    zip: [{ name: 'sum', content: 'x', crc: 1 }],
  },
  {
    what: 'more bytes than declared',
    code: 'package-unreadable',
    names: '"more"',
    zip: [{ name: 'more', content: 'x'.repeat(999), sizeBytes: 5 }],
  },
  {
    what: 'fewer bytes than declared',
    code: 'package-unreadable',
    names: '"less"',
    zip: [{ name: 'less', content: 'x', sizeBytes: 999 }],
  },
  {
    what: 'a stored file with two sizes',
    code: 'package-unreadable',
    names: 'size',
    zip: [{ name: 'odd', content: 'x', method: 0, sizeBytes: 9 }],
  },
  {
    what: 'content beyond the end',
    code: 'package-unreadable',
    names: 'damaged',
    zip: [{ name: 'far', content: 'x', compressedBytes: 2 ** 31 }],
  },
  {
    what: 'garbage in place of compressed data',
    code: 'package-unreadable',
    names: '"junk"',
    zip: [{ name: 'junk', content: 'xyz', raw: Buffer.from('garbage!') }],
  },
  {
    what: 'another name in the local header',
    code: 'package-unsafe',
    names: '"shown"',
    zip: [{ name: 'shown', localName: 'other', content: 'x' }],
  },
  {
    what: 'entries that share their content',
    code: 'package-unsafe',
    names: '"one" and "two"',
    zip: [
      { name: 'one', content: 'x' },
      { name: 'two', content: 'x', sameDataAs: someScript.length },
    ],
  },
  {
    what: 'a folder with content',
    code: 'package-unreadable',
    names: '"folder/"',
    zip: [{ name: 'folder/', content: 'x' }],
  },
  {
    what: 'a declared size of gigabytes',
    code: 'package-too-large',
    names: 'more than',
    zip: [{ name: 'huge', content: 'x', sizeBytes: 2 ** 31 }],
  },
  {
    what: 'a name in an unknown encoding',
    code: 'package-unsafe',
    names: 'unknown encoding',
    zip: [{ name: Buffer.from([0x81, 0x20, 0x61]) }],
  },
  {
    what: 'a name with invalid UTF-8',
    code: 'package-unsafe',
    names: 'unknown encoding',
    zip: [{ name: Buffer.from([0x61, 0xff]), flags: 0x800 }],
  },
];
