import type { Problem, Script } from '../api/wire.ts';

/** Whether a problem is one of this script: of something in its folder. */
export function isProblemOf({ folder }: Pick<Script, 'folder'>, { file }: Pick<Problem, 'file'>): boolean {
  return file === folder || ['/', '\\'].some((separator) => file.startsWith(folder + separator));
}

/** The folders of the scripts that are listed and cannot be run all the same. */
export function unusableFolders(scripts: readonly Script[], problems: readonly Problem[]): Set<string> {
  const wrong = new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  return new Set(scripts.filter(({ manifest }) => wrong.has(manifest)).map(({ folder }) => folder));
}
