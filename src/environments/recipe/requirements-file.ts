import { isUtf8 } from 'node:buffer';
import { readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

import { decodeFileText } from '../../shared/decode-text.ts';
import { type Findings, reportUnreadable } from './findings.ts';
import {
  hasVariables,
  isArchiveName,
  isRequirement,
  localPathOf,
  type RequirementItem,
  readRequirementLines,
  withoutPassword,
} from './requirement-lines.ts';
import { takeProject } from './take-folder.ts';

/** Limit of nested files; a file may include itself. */
const mostFiles = 64;

const namesFiles: ReadonlySet<RequirementItem['kind']> = new Set(['include', 'constraint']);

export interface FoundRequirements {
  readonly requirements: readonly string[];
  readonly isBoundToFolder: boolean;
  /** Replacement text for a file in an encoding that the tool does not know; null if it can read the file. */
  readonly lines: readonly string[] | null;
}

/** Reads a requirements file and its included files. Null if it does not exist. */
export async function readRequirementsFile(
  file: string,
  findings: Findings,
): Promise<FoundRequirements | null> {
  const reader = new RequirementsReader(findings);
  return (await reader.readFile(file)) ? reader : null;
}

class RequirementsReader implements FoundRequirements {
  readonly requirements: string[] = [];
  isBoundToFolder = false;
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
    const items = readRequirementLines(text);
    if (isForeign(result.bytes)) this.#rewrite(file, text, items);
    for (const item of items) await this.#follow(file, item, isConstraint);
    return true;
  }

  /** A copy in another folder would not find the included files. */
  #rewrite(file: string, text: string, items: readonly RequirementItem[]): void {
    const isAlone = this.#files.size === 1 && !items.some(({ kind }) => namesFiles.has(kind));
    if (isAlone) {
      this.lines = text.split(/\r?\n/);
      return;
    }
    this.#findings.error(
      file,
      null,
      { en: 'This file is not UTF-8, so pip cannot read it', zh: '该文件不是 UTF-8 编码，pip 无法读取' },
      { en: 'Save it as UTF-8.', zh: '请另存为 UTF-8 编码。' },
    );
  }

  async #follow(file: string, item: RequirementItem, isConstraint: boolean): Promise<void> {
    switch (item.kind) {
      case 'include':
      case 'constraint':
        await this.#include(file, item, isConstraint || item.kind === 'constraint');
        break;
      case 'find-links':
        await this.#takeLinks(file, item.text);
        break;
      case 'editable':
        this.requirements.push(`-e ${item.text}`);
        if (await takeLocal(file, item, true, this.#findings)) this.isBoundToFolder = true;
        break;
      case 'requirement':
        if (!isConstraint) this.requirements.push(item.text);
        if (isRequirement(item.text)) await takeLocal(file, item, false, this.#findings);
        else this.#reportNonsense(file, item);
        break;
      case 'option':
        break;
    }
  }

  async #include(file: string, { line, text }: RequirementItem, isConstraint: boolean): Promise<void> {
    if (/^https?:/i.test(text)) {
      this.#findings.note(
        file,
        line,
        {
          en: `Every build reads ${withoutPassword(text)} again`,
          zh: `${withoutPassword(text)} 在每次构建时才会读取`,
        },
        {
          en: 'Hob does not detect changes to it. Keep a copy in the folder instead.',
          zh: 'Hob 无法得知其变化，建议在文件夹中保留一份副本。',
        },
      );
      return;
    }
    if (hasVariables(text)) return;
    const included = resolve(dirname(file), text);
    if (this.#findings.nameOf(included) === null) noteOutside(file, line, text, this.#findings);
    if (await this.readFile(included, isConstraint)) return;
    this.#findings.error(
      file,
      line,
      { en: `The file ${text} does not exist`, zh: `文件 ${text} 不存在` },
      { en: 'Add the file, or remove this line.', zh: '请补上该文件，或删除此行。' },
    );
  }

  /** Adds the files of a wheel folder: the tool may install any of them. */
  async #takeLinks(file: string, text: string): Promise<void> {
    if (text.includes('://') && !/^file:/i.test(text)) return;
    const path = /^file:/i.test(text) ? localPathOf(text, dirname(file)) : resolve(dirname(file), text);
    if (path === null) return;
    this.#findings.looked.add(path);
    for (const name of (await readdir(path).catch(() => [])).sort()) {
      if (isArchiveName(name)) await this.#findings.take(join(path, name));
    }
  }

  #reportNonsense(file: string, { line, text }: RequirementItem): void {
    this.#findings.error(
      file,
      line,
      { en: `"${text}" is not a valid requirement`, zh: `“${text}” 不是有效的依赖声明` },
      {
        en: 'Write the name of a package and, if needed, a version range: requests>=2.31',
        zh: '请写包名以及所需的版本范围，例如 requests>=2.31',
      },
    );
  }
}

/** Adds a package given by its path to the inputs. Returns whether it is a path and exists. */
export async function takeLocal(
  file: string,
  { line, text }: { readonly line: number | null; readonly text: string },
  isEditable: boolean,
  findings: Findings,
): Promise<boolean> {
  if (hasVariables(text)) return isEditable;
  // Unlike included files, package paths are relative to the working directory of the tool: the folder of the script.
  const path = localPathOf(isEditable && !text.includes(':') ? asPath(text) : text, findings.folder);
  if (path === null) return false;
  if (findings.nameOf(path) === null) noteOutside(file, line, text, findings);
  const found = await stat(path).catch(() => null);
  if (found === null) {
    findings.looked.add(path);
    findings.error(
      file,
      line,
      { en: `No such file or folder: ${text}`, zh: `${text} 不存在` },
      {
        en: 'Package paths are relative to the folder of the script.',
        zh: '包的路径以脚本所在文件夹为基准，请核对。',
      },
    );
    return false;
  }
  if (found.isDirectory()) await takeProject(path, findings, { metadataOnly: isEditable });
  else await findings.take(path);
  return true;
}

/** Whether the encoding has no byte order mark, such as that of Chinese Windows. */
function isForeign(bytes: Uint8Array): boolean {
  const isMarked = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isMarked && !isUtf8(bytes);
}

/** An editable requirement is a folder, even if its path looks like a package name. */
function asPath(text: string): string {
  return isAbsolute(text) ? text : `./${text}`;
}

function noteOutside(file: string, line: number | null, text: string, findings: Findings): void {
  findings.note(
    file,
    line,
    { en: `${text} is outside the folder of the script`, zh: `${text} 位于脚本文件夹之外` },
    {
      en: 'It is not part of the script. To share the script, move it into the folder.',
      zh: '它不会随脚本一起分发；若要分享脚本，请放入文件夹内。',
    },
  );
}
