import { isUtf8 } from 'node:buffer';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { decodeFileText } from '../../shared/decode-text.ts';
import { type Findings, reportUnreadable, takeProject } from './findings.ts';

/** Limit of nested files; a file may include itself. */
const mostFiles = 64;

/** Options that name files. pip and uv know more options, which may stand in the same line. */
const fileOption =
  /(?:^|\s)(?:-([rcfe])\s*|--(requirement|constraint|find-links|editable)(?:\s+|=))("[^"]*"|'[^']*'|\S+)/g;

const archiveName = /\.(?:whl|zip|tar\.gz|tgz|tar\.bz2)$/i;

/** A line of a requirements file, with the number of its first physical line. */
interface Line {
  readonly line: number | null;
  readonly text: string;
}

/**
 * Reads a requirements file and its included files, to list the packages and to find all files that affect the environment. Does not
 * judge the lines: pip or uv report an invalid one during the build.
 */
export class RequirementsReader {
  /** For messages. */
  readonly requirements: string[] = [];
  isBoundToFolder = false;
  /** Replacement text for a file in an encoding that the tool does not know; null if it can read the file. */
  lines: readonly string[] | null = null;
  readonly #findings: Findings;
  readonly #files = new Set<string>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Returns whether the file exists. `isConstraint`: it limits versions, but requires nothing. */
  async readFile(file: string, isConstraint = false): Promise<boolean> {
    if (this.#files.has(file) || this.#files.size >= mostFiles) return true;
    this.#files.add(file);
    const result = await this.#findings.read(file);
    if (result.kind === 'missing') return false;
    if (result.kind !== 'content') {
      reportUnreadable(this.#findings, file, result);
      return true;
    }
    await this.#findings.take(file);
    const text = decodeFileText(result.bytes);
    let hasIncludes = false;
    for (const line of logicalLines(text)) {
      if (line.text.startsWith('-'))
        hasIncludes = (await this.#followOptions(file, line, isConstraint)) || hasIncludes;
      else {
        // Options of a single requirement, such as hashes, follow it.
        const requirement = { ...line, text: line.text.replace(/\s+--?[a-z].*$/s, '') };
        if (!isConstraint) this.requirements.push(requirement.text);
        await takeLocal(file, requirement, this.#findings);
      }
    }
    if (isForeign(result.bytes)) this.#rewrite(file, text, hasIncludes);
    return true;
  }

  /** A copy in another folder would not find the included files. */
  #rewrite(file: string, text: string, hasIncludes: boolean): void {
    if (this.#files.size === 1 && !hasIncludes) {
      this.lines = text.split(/\r?\n/);
      return;
    }
    this.#findings.error(file, null, {
      en: 'This file is not UTF-8, so pip cannot read it',
      zh: '该文件不是 UTF-8 编码，pip 无法读取',
      advice: { en: 'Save it as UTF-8.', zh: '请另存为 UTF-8 编码。' },
    });
  }

  /** Returns whether the line includes other files. */
  async #followOptions(file: string, { line, text }: Line, isConstraint: boolean): Promise<boolean> {
    let hasIncludes = false;
    for (const [, short, long, written = ''] of text.matchAll(fileOption)) {
      const option = short ?? long?.charAt(0);
      const value = { line, text: written.replace(/^(["'])(.*)\1$/s, '$2') };
      if (option === 'f') await this.#takeLinks(file, value.text);
      else if (option === 'e') {
        this.requirements.push(`-e ${value.text}`);
        if (await takeLocal(file, value, this.#findings, true)) this.isBoundToFolder = true;
      } else {
        hasIncludes = true;
        await this.#include(file, value, isConstraint || option === 'c');
      }
    }
    return hasIncludes;
  }

  async #include(file: string, { line, text }: Line, isConstraint: boolean): Promise<void> {
    if (/^https?:/i.test(text)) {
      this.#findings.note(file, line, {
        en: `Every build reads ${withoutPassword(text)} again`,
        zh: `${withoutPassword(text)} 在每次构建时才会读取`,
        advice: {
          en: 'Hob does not detect changes to it. Keep a copy in the folder instead.',
          zh: 'Hob 无法得知其变化，建议在文件夹中保留一份副本。',
        },
      });
      return;
    }
    if (hasVariables(text)) return;
    const included = resolve(dirname(file), text);
    if (this.#findings.nameOf(included) === null) noteOutside(file, { line, text }, this.#findings);
    // Without this entry, a file that includes only missing files would seem to need no environment.
    if (!(await this.readFile(included, isConstraint)))
      this.requirements.push(`${isConstraint ? '-c' : '-r'} ${text}`);
  }

  /** Adds the files of a wheel folder: the tool may install any of them. */
  async #takeLinks(file: string, text: string): Promise<void> {
    const path = localPathOf(text, dirname(file), true);
    if (path === null) return;
    this.#findings.looked.add(path);
    for (const name of (await readdir(path).catch(() => [])).sort()) {
      if (archiveName.test(name)) await this.#findings.take(join(path, name));
    }
  }
}

/** Adds a package given by its path to the inputs. Returns whether the environment uses code at a local path. */
export async function takeLocal(
  file: string,
  written: Line,
  findings: Findings,
  isEditable = false,
): Promise<boolean> {
  if (hasVariables(written.text)) return isEditable;
  // Unlike included files, package paths are relative to the working directory of the tool: the folder of the script.
  const path = localPathOf(written.text, findings.folder, isEditable);
  if (path === null) return false;
  if (findings.nameOf(path) === null) noteOutside(file, written, findings);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) await takeProject(path, findings, { metadataOnly: isEditable });
  else if (found === null) findings.looked.add(path);
  else await findings.take(path);
  return found !== null;
}

/** The local path in a requirement, or null. `isPath`: a plain name is a path too, and not a package. */
function localPathOf(requirement: string, base: string, isPath: boolean): string | null {
  const target = requirement
    .replace(/\s*;.*$/s, '')
    .replace(/^[A-Za-z0-9][\w.-]*\s*(?:\[[^\]]*\])?\s*@\s*/, '')
    .replace(/(?<=.)\[[\w.,\s-]*\]$/, '')
    .trim();
  try {
    const [, address] = /^file:([^#]*)/i.exec(target) ?? [];
    // Without a slash, the address is relative, which URL parsers do not support.
    if (address?.startsWith('/')) return fileURLToPath(`file:${address}`);
    if (address !== undefined) return resolve(base, decodeURIComponent(address));
  } catch {
    return null;
  }
  // With a slash and no address, pip looks for a folder.
  const isLocal = isPath || /^\.{1,2}$|[\\/]/.test(target) || archiveName.test(target);
  return isLocal && !/:\/\/|\s@/.test(target) ? resolve(base, target) : null;
}

/** Lines without comments, with continuation lines joined. */
function logicalLines(text: string): Line[] {
  const lines: Line[] = [];
  let open: Line & { line: number } = { line: 0, text: '' };
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const isContinued = raw.endsWith('\\') && !/^\s*#/.test(raw);
    open = { line: open.line || index + 1, text: `${open.text} ${isContinued ? raw.slice(0, -1) : raw}` };
    if (isContinued) continue;
    lines.push(open);
    open = { line: 0, text: '' };
  }
  return [...lines, open]
    .map(({ line, text: written }) => ({ line, text: written.replace(/(^|\s+)#.*$/s, '').trim() }))
    .filter(({ text: written }) => written !== '');
}

/** Whether pip substitutes environment variables, so that the value is unknown here. */
function hasVariables(text: string): boolean {
  return /\$\{[A-Z0-9_]+\}/.test(text);
}

/** Formats a requirement for display, without a password in its address. */
export function withoutPassword(requirement: string): string {
  return requirement.replace(/:\/\/[^/\s]+@/g, '://***@');
}

/** Whether the encoding has no byte order mark, such as that of Chinese Windows. */
function isForeign(bytes: Uint8Array): boolean {
  const isMarked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isMarked && !isUtf8(bytes);
}

function noteOutside(file: string, { line, text }: Line, findings: Findings): void {
  findings.note(file, line, {
    en: `${text} is outside the folder of the script`,
    zh: `${text} 位于脚本文件夹之外`,
    advice: {
      en: 'It is not part of the script. To share the script, move it into the folder.',
      zh: '它不会随脚本一起分发；若要分享脚本，请放入文件夹内。',
    },
  });
}
