import type { Script } from '../../scripts/script.ts';

/** All that has to be known of a script to say what it is to be run with. */
export type RecipeOwner = Pick<Script, 'folder' | 'runtime'>;

/** A file that an environment is made from. */
export interface Input {
  /** Its path inside the script's folder, with forward slashes, so that a copy of the folder gives the same; else the whole path. */
  readonly name: string;
  readonly path: string;
  readonly fingerprint: string;
}

interface CommonRecipe {
  /** The file that states what is needed. */
  readonly file: string;
  /** The packages that are asked for, for people: without the passwords that may be in their addresses. */
  readonly requirements: readonly string[];
  readonly inputs: readonly Input[];
}

export interface PythonRecipe extends CommonRecipe {
  readonly kind: 'python';
  /** Which versions of Python will do, in a notation that the finder of interpreters knows. */
  readonly requiresPython: string | null;
  /** The lines of a file of requirements to write; null when the tool is to read `file` itself. */
  readonly lines: readonly string[] | null;
  /** A lock that uv can install from. */
  readonly uvLock: string | null;
  /** The folder is where the installed code lives, so that a copy of it needs an environment of its own. */
  readonly isBoundToFolder: boolean;
}

export interface NodeRecipe extends CommonRecipe {
  readonly kind: 'node';
  /** The text of the package.json to write. */
  readonly packageJson: string;
  /** The name of the lock, or null without one. */
  readonly lockFile: string | null;
  /** Files and folders to be copied, relative to the folder, with forward slashes. */
  readonly copies: readonly string[];
}

export type Recipe = PythonRecipe | NodeRecipe;
