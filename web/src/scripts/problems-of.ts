import type { Problem, Script } from '../api/wire.ts';

/** Whether a problem is in the folder of the script. */
export function isProblemOf({ folder }: Pick<Script, 'folder'>, { file }: Pick<Problem, 'file'>): boolean {
  return file === folder || ['/', '\\'].some((separator) => file.startsWith(folder + separator));
}

/** The folders of scripts that are listed but cannot run. */
export function unusableFolders(scripts: readonly Script[], problems: readonly Problem[]): Set<string> {
  const wrong = new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  return new Set(scripts.filter(({ manifest }) => wrong.has(manifest)).map(({ folder }) => folder));
}
