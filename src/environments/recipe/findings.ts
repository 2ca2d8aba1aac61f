import { readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

import type { Advised, Problem } from '../../scripts/script.ts';
import { fingerprintFile } from '../../shared/fingerprint-file.ts';
import { type ReadResult, readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import type { Input } from './recipe.ts';

/** Limit of watched files: changes beyond it are not detected. */
const mostFiles = 2000;
const metadataFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'];

/** Build output of the tools. */
const leftByPython = /^(?:\..*|__pycache__|build|dist|.*\.egg-info)$/;
const mostFileBytes = 16 * 1024 * 1024;

/** Problems and visited paths while a recipe is read. */
export class Findings {
  readonly folder: string;
  readonly problems: Problem[] = [];
  /** All paths whose change may change the recipe, including missing ones. */
  readonly looked = new Set<string>();
  readonly #inputs = new Map<string, Input>();

  constructor(folder: string) {
    this.folder = folder;
  }

  get inputs(): readonly Input[] {
    return [...this.#inputs.values()];
  }

  async read(path: string): Promise<ReadResult> {
    this.looked.add(path);
    return readRegularFile(path, { maxBytes: mostFileBytes });
  }

  /** Adds a file to the inputs of the environment. */
  async take(path: string): Promise<void> {
    this.looked.add(path);
    if (this.#inputs.has(path)) return;
    const name = this.nameOf(path) ?? path;
    this.#inputs.set(path, { name, path, fingerprint: await fingerprintFile(path) });
  }

  /** The path inside the folder, with forward slashes; null if it is outside. */
  nameOf(path: string): string | null {
    const inside = relative(this.folder, path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
    return inside.split(sep).join('/');
  }

  error(file: string, line: number | null, { advice, ...message }: Text & Advised): void {
    this.problems.push({ severity: 'error', file, line, message, advice });
  }

  note(file: string, line: number | null, { advice, ...message }: Text & Advised): void {
    this.problems.push({ severity: 'note', file, line, message, advice });
  }
}

/** An existing file that is not usable. */
export function reportUnreadable(
  findings: Findings,
  file: string,
  result: Exclude<ReadResult, { kind: 'content' | 'missing' }>,
): void {
  const what =
    result.kind === 'too-large'
      ? { en: 'is too large', zh: '过大' }
      : result.kind === 'unreadable'
        ? { en: `cannot be read (${result.errno})`, zh: `无法读取（${result.errno}）` }
        : { en: 'is not a regular file', zh: '不是普通文件' };
  findings.error(file, null, {
    en: `The file that lists the packages ${what.en}`,
    zh: `说明需要安装哪些包的文件${what.zh}`,
    advice: { en: 'Replace it with a readable text file.', zh: '请换成可读取的文本文件。' },
  });
}

export async function takeProject(
  folder: string,
  findings: Findings,
  { metadataOnly }: { metadataOnly: boolean },
): Promise<void> {
  // An editable project may change without a new installation, except for its metadata.
  if (metadataOnly) for (const name of metadataFiles) await findings.take(join(folder, name));
  else await takeFolder(folder, findings, leftByPython);
}

/** Adds all files of a folder to the inputs of an environment, except those that are `leftOut`. */
export async function takeFolder(folder: string, findings: Findings, leftOut: RegExp): Promise<void> {
  const folders = [folder];
  let files = 0;
  for (let next = folders.pop(); next !== undefined && files < mostFiles; next = folders.pop()) {
    findings.looked.add(next);
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (leftOut.test(entry.name)) continue;
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && files++ < mostFiles) await findings.take(path);
    }
  }
}
