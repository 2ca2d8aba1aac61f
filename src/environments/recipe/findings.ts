import { isAbsolute, relative, sep } from 'node:path';

import type { Problem } from '../../scripts/script.ts';
import { fingerprintFile } from '../../shared/fingerprint-file.ts';
import { type ReadResult, readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import type { Input } from './recipe.ts';

const mostFileBytes = 16 * 1024 * 1024;

/** What comes up while a recipe is read: what is wrong, and where was looked. */
export class Findings {
  readonly folder: string;
  readonly problems: Problem[] = [];
  /** Everything whose change may change the recipe, also what is not there. */
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

  /** Counts a file among what the environment is made from. */
  async take(path: string): Promise<void> {
    this.looked.add(path);
    if (this.#inputs.has(path)) return;
    const name = this.nameOf(path) ?? path;
    this.#inputs.set(path, { name, path, fingerprint: await fingerprintFile(path) });
  }

  /** The path inside the folder, with forward slashes; null when it is outside. */
  nameOf(path: string): string | null {
    const inside = relative(this.folder, path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
    return inside.split(sep).join('/');
  }

  error(file: string, line: number | null, message: Text, advice: Text): void {
    this.problems.push({ severity: 'error', file, line, message, advice });
  }

  note(file: string, line: number | null, message: Text, advice: Text): void {
    this.problems.push({ severity: 'note', file, line, message, advice });
  }
}

/** A file that is there but cannot be used as one. */
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
  findings.error(
    file,
    null,
    { en: `The file that lists the packages ${what.en}`, zh: `说明需要安装哪些包的文件${what.zh}` },
    { en: 'Replace it with a readable text file.', zh: '请换成可读取的文本文件。' },
  );
}
