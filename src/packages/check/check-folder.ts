import { resolve } from 'node:path';

import { loadFolder } from '../../scripts/load-folder.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { defaultFetchLimits, type FetchLimits } from '../fetch/fetch-limits.ts';
import { checkEntry } from './check-entry.ts';
import { checkFiles } from './check-files.ts';
import { checkManifest, type FindScript } from './check-manifest.ts';

/** Additional checks of a script, from other modules. */
export type ScriptCheck = (script: Script) => Promise<Problem[]>;

export interface CheckOptions {
  /** Finds called scripts. Absent: dependencies are not checked. */
  readonly findScript?: FindScript;
  readonly checks?: readonly ScriptCheck[];
  readonly limits?: FetchLimits;
  readonly platform?: NodeJS.Platform;
}

export interface CheckedFolder {
  /** Null if the manifest is missing or invalid. */
  readonly script: Script | null;
  /** Errors first. A package with an error cannot be installed. */
  readonly problems: Problem[];
}

/** Checks a folder as a package, its manifest and its files, and returns all problems at once. */
export async function checkFolder(folder: string, options: CheckOptions = {}): Promise<CheckedFolder> {
  const { findScript, checks = [], limits = defaultFetchLimits, platform = process.platform } = options;
  const path = resolve(folder);
  const loaded = await loadFolder(path);
  const problems: Problem[] = [];
  const script = loaded?.kind === 'script' ? loaded.script : null;
  if (loaded === null) problems.push(noManifest(path));
  else problems.push(...(loaded.kind === 'script' ? loaded.notes : loaded.problems));
  if (script !== null) {
    problems.push(...(await checkManifest(script, findScript)), ...(await checkEntry(script, platform)));
    for (const check of checks) problems.push(...(await check(script)));
  }
  problems.push(...(await checkFiles(path, limits)));
  return { script, problems: problems.toSorted((one, other) => rank(one) - rank(other)) };
}

function rank({ severity }: Problem): number {
  return severity === 'error' ? 0 : 1;
}

function noManifest(folder: string): Problem {
  return {
    severity: 'error',
    file: folder,
    line: null,
    message: { en: 'This folder has no manifest', zh: '文件夹中没有清单文件' },
    advice: {
      en: 'Create a script.toml. docs/manifest.md shows a complete one, and hob new creates one together with a sample script.',
      zh: '请编写 script.toml，完整示例见 docs/manifest.md；也可以用 hob new 生成一个脚本作为起点。',
    },
  };
}
