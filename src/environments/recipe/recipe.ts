import type { Script } from '../../scripts/script.ts';

/** The part of a script that determines its environment. */
export type RecipeOwner = Pick<Script, 'folder' | 'runtime'>;

export interface Input {
  /** Path inside the folder of the script, with forward slashes, so that a copy has the same key; otherwise the absolute path. */
  readonly name: string;
  readonly path: string;
  readonly fingerprint: string;
}

interface CommonRecipe {
  readonly file: string;
  /** Requirements for display, without passwords. */
  readonly requirements: readonly string[];
  readonly inputs: readonly Input[];
}

export interface PythonRecipe extends CommonRecipe {
  readonly kind: 'python';
  /** Accepted Python versions, in the notation of the interpreter finder. */
  readonly requiresPython: string | null;
  /** Lines of a requirements file to write; null if the tool reads `file` itself. */
  readonly lines: readonly string[] | null;
  readonly uvLock: string | null;
  /** Whether installed code stays in the folder, so that a copy needs a separate environment. */
  readonly isBoundToFolder: boolean;
}

export interface NodeRecipe extends CommonRecipe {
  readonly kind: 'node';
  /** Text of the package.json to write. */
  readonly packageJson: string;
  readonly lockFile: string | null;
  /** Files and folders to copy, relative to the folder, with forward slashes. */
  readonly copies: readonly string[];
}

export type Recipe = PythonRecipe | NodeRecipe;
