import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type RequirementItem =
  | { readonly kind: 'requirement'; readonly line: number; readonly text: string }
  | {
      readonly kind: 'include' | 'constraint' | 'find-links' | 'editable';
      readonly line: number;
      readonly text: string;
    }
  | { readonly kind: 'option'; readonly line: number; readonly text: string };

const optionKinds = {
  '-r': 'include',
  '--requirement': 'include',
  '-c': 'constraint',
  '--constraint': 'constraint',
  '-f': 'find-links',
  '--find-links': 'find-links',
  '-e': 'editable',
  '--editable': 'editable',
} as const;

type KnownOption = keyof typeof optionKinds;

/** Parses a requirements file in pip notation. */
export function readRequirementLines(text: string): RequirementItem[] {
  return logicalLines(text).flatMap(({ line, text: written }) => {
    if (!written.startsWith('-')) {
      // Options of a single requirement, such as hashes, follow it.
      return [{ kind: 'requirement' as const, line, text: written.replace(/\s+--?[a-z].*$/s, '') }];
    }
    return readOptions(line, splitWords(written));
  });
}

function readOptions(line: number, words: readonly string[]): RequirementItem[] {
  const items: RequirementItem[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, name = '', attached] =
      /^(--[a-z-]+)(?:=(.*))?$/s.exec(word) ?? /^(-[a-z])(.+)?$/s.exec(word) ?? [];
    if (!isKnown(name)) {
      items.push({ kind: 'option', line, text: word });
      continue;
    }
    if (attached === undefined) at++;
    items.push({ kind: optionKinds[name], line, text: attached ?? words[at] ?? '' });
  }
  return items;
}

function isKnown(name: string): name is KnownOption {
  return Object.hasOwn(optionKinds, name);
}

/** Lines without comments, with continuation lines joined, each with its number. */
function logicalLines(text: string): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | null = null;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const isComment = /^\s*#/.test(raw);
    const isContinued = !isComment && raw.endsWith('\\');
    const part = isContinued ? raw.slice(0, -1) : raw;
    open =
      open === null ? { line: index + 1, text: part } : { line: open.line, text: `${open.text} ${part}` };
    if (isContinued) continue;
    lines.push(open);
    open = null;
  }
  if (open !== null) lines.push(open);
  return lines
    .map(({ line, text: written }) => ({ line, text: written.replace(/(^|\s+)#.*$/s, '').trim() }))
    .filter(({ text: written }) => written !== '');
}

/** Splits like a shell. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

/** The local path of a requirement, or null. */
export function localPathOf(requirement: string, base: string): string | null {
  const bare = requirement.replace(/\s*;.*$/s, '').trim();
  const named = /^[A-Za-z0-9][\w.-]*\s*(?:\[[^\]]*\])?\s*@\s*(.+)$/s.exec(bare)?.[1];
  const target = (named ?? bare).replace(/(?<=.)\[[\w.,\s-]*\]$/, '');
  if (/^file:/i.test(target)) return fromFileUrl(target, base);
  if (target.includes('://')) return null;
  // With a slash and no address, pip looks for a folder.
  const looksLocal = /^\.{1,2}(?:[\\/]|$)|^[\\/]|^[A-Za-z]:[\\/]|^[^\s@]+\//.test(target);
  return looksLocal || isArchiveName(target) ? resolve(base, target) : null;
}

/** Whether a file of this name can be a package. */
export function isArchiveName(name: string): boolean {
  return /\.(?:whl|zip|tar\.gz|tgz|tar\.bz2)$/i.test(name);
}

function fromFileUrl(url: string, base: string): string | null {
  const address = url.replace(/#.*$/s, '');
  try {
    // Without slashes, the address is relative, which URL parsers do not support.
    if (!/^file:\//i.test(address)) return resolve(base, decodeURIComponent(address.slice('file:'.length)));
    return fileURLToPath(address);
  } catch {
    return null;
  }
}

/** Whether this can be a requirement: a package name with conditions, an address or a path. */
export function isRequirement(text: string): boolean {
  if (text.includes('://') || hasVariables(text) || localPathOf(text, '/') !== null) return true;
  return /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\s*(?:\[[\w.,\s-]*\])?\s*(?:$|[;@(]|[<>=!~]=?)/.test(text);
}

/** Whether pip substitutes environment variables, so that the value is unknown here. */
export function hasVariables(text: string): boolean {
  return /\$\{[A-Z0-9_]+\}/.test(text);
}

/** Formats a requirement for display, without a password in its address. */
export function withoutPassword(requirement: string): string {
  return requirement.replace(/:\/\/[^/\s]+@/g, '://***@');
}
