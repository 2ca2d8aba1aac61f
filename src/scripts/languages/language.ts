import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { WarmLanguage } from '../../contract/values.ts';
import type { Text } from '../../shared/text.ts';
import type { Command, Resolution } from '../runtimes/command.ts';

/** The properties of a language. It has an interpreter, uses that of another language, or has `open`. */
export interface Language {
  /** How it is started, for the reference. */
  readonly startedWith: string;
  /** Other spellings in existing manifests. */
  readonly aliases?: readonly string[];
  /** Extensions of entries, for manifests without a language. */
  readonly extensions?: readonly string[];
  /** The only platform that runs it. Absent: all. */
  readonly platform?: NodeJS.Platform;
  readonly interpreter?: InterpreterSpec;
  /** The language whose interpreter runs it, if it has none itself. */
  readonly interpretedBy?: 'node.js';
  /** The arguments of the interpreter, and variables for it. Absent: only the entry. */
  readonly start?: (
    entry: string,
    interpreter: {
      readonly platform: NodeJS.Platform /** Null: the interpreter of an environment. */;
      readonly version: string | null;
    },
  ) => Start;
  /** The interpreter in the folder of a script, or null. */
  readonly ownInterpreter?: (folder: string, platform: NodeJS.Platform) => string | null;
  readonly open?: (entry: string, host: OpenHost) => Resolution | Promise<Resolution>;
  /** Which warm interpreter can run it. Absent: none. */
  readonly warm?: WarmLanguage;
  /** Adds the SDK to the search path of the language, after all folders of the user. */
  readonly addSdk?: (command: Command, env: Command['env']) => Command;
  /**
   * `shell`: a byte order mark or a carriage return in the entry becomes part of a command. `utf8`: the interpreter reads the entry as
   * UTF-8.
   */
  readonly entryText?: 'shell' | 'utf8';
  /** The sample script that `hob new` writes. Absent: none. */
  readonly template?: Template;
}

export interface Template {
  /** The language on the command line. */
  readonly word: string;
  readonly meaning: Text;
  /** The versions that the sample needs. */
  readonly versions?: string;
  readonly entry: string;
  /** Returns the text of the entry. */
  readonly write: (sample: Sample) => string;
  /** A file that tells editors where the module `hob` is. */
  readonly editorFile?: { readonly path: string; readonly write: () => string };
}

/** The parts of a sample script that are the same in every language. */
export interface Sample {
  readonly input: 'files' | 'folders' | 'text' | 'none';
  readonly greeting: string;
  tr(english: string, chinese: string): string;
  /** The message of the result, with placeholders in the syntax of the language. */
  summary(total: string, count: string): string;
}

export interface Start {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface OpenHost {
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/** How to find the interpreter of a language. */
export interface InterpreterSpec {
  readonly title: string;
  /** Names on PATH, in order of preference. */
  readonly names: readonly string[];
  /** Additional names with a version, newest first, such as python3.12. */
  readonly versionedName?: RegExp;
  /**
   * Arguments that print the version and, on a second line, the real path: the program on PATH may be a shim of a version manager,
   * which costs a hundred milliseconds at every start.
   */
  readonly probe: readonly string[];
  /** Whether the probe prints a placeholder instead of a version. */
  readonly isVersionless?: true;
  /** Arguments before those of the probe that prevent loading of installed code. */
  readonly isolation?: readonly string[];
  /** Where to get it. */
  readonly source: string;
}

/** The folder of the SDK of a language. */
export function sdkFolder(name: 'node' | 'python' | 'shell'): string {
  return join(fileURLToPath(new URL('../../../sdk', import.meta.url)), name);
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
