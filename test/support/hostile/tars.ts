import { paxOf, type TarEntry } from '../archives.ts';
import { badNames, type Case, deepPath } from './cases.ts';

/** Tar entries that must be refused, next to those of a valid script. */
export const tarCases: (Case & { tar: readonly TarEntry[] })[] = [
  ...badNames
    .slice(0, 8)
    .map(
      ([what, name, names]) =>
        ({ what, code: 'package-unsafe', names, tar: [{ name, content: 'x' }] }) as const,
    ),
  {
    what: 'a symbolic link',
    code: 'package-unsafe',
    names: '"link" is a symbolic link',
    tar: [{ name: 'link', type: '2', link: '/etc' }],
  },
  {
    what: 'a symbolic link and a file that would go through it',
    code: 'package-unsafe',
    names: '"link" is a symbolic link',
    tar: [
      { name: 'link', type: '2', link: '/tmp' },
      { name: 'link/evil', content: 'x' },
    ],
  },
  {
    what: 'a hard link to a system file',
    code: 'package-unsafe',
    names: '"passwd" is a hard link',
    tar: [{ name: 'passwd', type: '1', link: '/etc/passwd' }],
  },
  {
    what: 'a character device',
    code: 'package-unsafe',
    names: '"null" is a device',
    tar: [{ name: 'null', type: '3' }],
  },
  {
    what: 'a block device',
    code: 'package-unsafe',
    names: '"sda" is a device',
    tar: [{ name: 'sda', type: '4' }],
  },
  { what: 'a named pipe', code: 'package-unsafe', names: '"pipe"', tar: [{ name: 'pipe', type: '6' }] },
  {
    what: 'a sparse file',
    code: 'package-unreadable',
    names: '"holes"',
    tar: [{ name: 'holes', type: 'S' }],
  },
  {
    what: 'a sparse file in the newer format',
    code: 'package-unreadable',
    names: '"holes"',
    tar: [paxOf({ 'GNU.sparse.major': '1' }), { name: 'holes', content: 'x' }],
  },
  {
    what: 'a long path that leaves the folder',
    code: 'package-unsafe',
    names: '../evil',
    tar: [paxOf({ path: '../evil' }), { name: 'good', content: 'x' }],
  },
  {
    what: 'a long path with a NUL',
    code: 'package-unsafe',
    names: 'a\\x00b',
    tar: [paxOf({ path: 'a\0b' }), { name: 'good', content: 'x' }],
  },
  {
    what: 'a GNU long name that leaves the folder',
    code: 'package-unsafe',
    names: '../evil',
    tar: [{ name: '././@LongLink', type: 'L', content: '../evil\0' }, { name: 'x' }],
  },
  {
    what: 'a negative size',
    code: 'package-unreadable',
    names: '"minus"',
    tar: [{ name: 'minus', size: Buffer.from([...Array(11).fill(0xff), 0]) }],
  },
  {
    what: 'a negative size in an extended header',
    code: 'package-unreadable',
    names: '"minus"',
    tar: [paxOf({ size: '-5' }), { name: 'minus', content: 'x' }],
  },
  {
    what: 'a size that is not a number',
    code: 'package-unreadable',
    names: '"nan"',
    tar: [{ name: 'nan', size: 'zzzzzzzzzzz\0' }],
  },
  {
    what: 'a huge size',
    code: 'package-too-large',
    names: 'more than',
    tar: [{ name: 'huge', size: '77777777777\0' }],
  },
  {
    what: 'a size beyond all limits',
    code: 'package-unreadable',
    names: '"endless"',
    tar: [{ name: 'endless', size: Buffer.from([0x80, ...Array(11).fill(0xff)]) }],
  },
  {
    what: 'names that differ by their case',
    code: 'package-unsafe',
    names: '"a" and "A"',
    tar: [{ name: 'a' }, { name: 'A' }],
  },
  {
    what: 'a file where a folder must be',
    code: 'package-unsafe',
    names: '"both"',
    tar: [{ name: 'both' }, { name: 'both/file' }],
  },
  {
    what: 'folders that are 100 deep',
    code: 'package-too-large',
    names: 'd/d/d',
    tar: [paxOf({ path: deepPath }), { name: 'x' }],
  },
  {
    what: 'a header of many megabytes',
    code: 'package-unreadable',
    names: 'several megabytes of headers',
    tar: [{ name: 'x', type: 'x', content: Buffer.alloc(8 * 1024 * 1024, 0x20) }],
  },
];
