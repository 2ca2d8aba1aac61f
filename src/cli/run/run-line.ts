import { tr } from '../language.ts';
import { printable } from '../terminal/text-width.ts';
import type { MainInput, ScriptShape } from './script-shape.ts';

/** A `hob run` command for a script, with placeholders for the required values. */
export function runLine({ id, name, input, params }: ScriptShape): string {
  const required = params.filter(
    (param) => param.isRequired && param.default === undefined && !param.isSecret,
  );
  const words = [
    ...(input === null ? [] : [placeOf(input)]),
    ...required.map((param) => `-p ${printable(param.name)}=...`),
  ];
  return ['hob run', shellWord(name) ?? id, ...words].join(' ');
}

function placeOf({ name, pick, isSingle }: MainInput): string {
  if (pick === null) return `<${printable(name)}>`;
  if (pick === 'folders') return isSingle ? tr('<folder>', '<文件夹>') : tr('<folders>', '<文件夹>');
  return isSingle ? tr('<file>', '<文件>') : tr('<files>', '<文件>');
}

/** The name, quoted if necessary; null if not every shell would read it literally. */
function shellWord(name: string): string | null {
  if (/^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u.test(name)) return name;
  return /^[\p{L}\p{N} _.,()&+:-]+$/u.test(name) && !name.startsWith('-') ? `"${name}"` : null;
}
