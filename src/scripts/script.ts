import type { Json } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import type { ScriptLanguage } from './languages.ts';

/** A script that can be run, as its manifest describes it. Immutable: a changed manifest gives a new one. */
export interface Script {
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
  readonly description: string | null;
  /** Relative to the folder. */
  readonly icon: string | null;
  readonly folder: string;
  readonly manifestPath: string;
  /** The name of the manifest's root table, `service` in new ones. */
  readonly rootTable: string;
  readonly runtime: ScriptRuntime;
  readonly input: MainInput | null;
  readonly params: readonly Param[];
  readonly outputs: readonly Output[];
  readonly isNode: boolean;
  readonly models: readonly ModelNeed[];
  /** The scripts that it calls. */
  readonly dependencies: readonly ScriptDependency[];
}

export interface ScriptRuntime {
  readonly language: ScriptLanguage;
  readonly languageVersion: string | null;
  /** Relative to the folder, with forward slashes. */
  readonly entry: string;
  readonly terminal: Terminal;
  /** Null: not set, so that the setting applies. 0: none. */
  readonly timeoutMs: number | null;
  readonly concurrency: number | null;
  readonly lock: string | null;
  readonly survivors: Survivors;
  readonly notifyOn: NotifyOn;
  readonly env: Readonly<Record<string, string>>;
  readonly binaries: readonly string[];
  /** Whether it is not to be started without the models it declares. */
  readonly requireModels: boolean;
  /** Modules that an interpreter which waits for this script has loaded already; Python only. */
  readonly preload: readonly string[];
  /** Whether it may be given to an interpreter that is started already. */
  readonly mayStartWarm: boolean;
}

export const terminals = ['always', 'never', 'auto', 'inverse'] as const;
export type Terminal = (typeof terminals)[number];

export const survivorPolicies = ['keep', 'stop'] as const;
export type Survivors = (typeof survivorPolicies)[number];

/** Which ends of runs that nobody waits for the person at the desk is told of. */
export const notifyOccasions = ['failure', 'always', 'never'] as const;
export type NotifyOn = (typeof notifyOccasions)[number];

export interface MainInput {
  readonly name: string;
  readonly label: string;
  readonly type: 'list' | 'str';
  readonly pick: string | null;
  readonly exts: readonly string[];
  readonly description: string | null;
}

export const paramTypes = ['str', 'int', 'float', 'bool', 'list', 'dict'] as const;
export type ParamType = (typeof paramTypes)[number];

/** What stands in the place of a secret wherever one would be shown. */
export const secretMask = '***';

export interface Param {
  readonly name: string;
  readonly label: string;
  /** `any` when the manifest names a type that Hob does not know, or none and no default to tell it by. */
  readonly type: ParamType | 'any';
  /** Whether the manifest says so. A type that was only guessed from the default refuses no value. */
  readonly isTypeDeclared: boolean;
  /** Undefined when the manifest sets none: the script then does not get the param unless it is sent. */
  readonly default: Json | undefined;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly choiceLabels: Readonly<Record<string, string>>;
  readonly secret: boolean;
  readonly when: { readonly field: string; readonly eq: Json } | null;
  readonly description: string | null;
}

export interface Output {
  readonly name: string;
  readonly type: string | null;
  readonly description: string | null;
}

export interface ModelNeed {
  readonly source: 'huggingface' | 'modelscope';
  readonly repoId: string;
  readonly files: readonly string[];
}

export interface ScriptDependency {
  readonly id: string;
  readonly name: string | null;
  /** A range of versions; null when any will do. */
  readonly version: string | null;
}

/** Something in a manifest that a person should know of. Only errors keep the script from running. */
export interface Problem {
  readonly severity: 'error' | 'note';
  readonly file: string;
  readonly line: number | null;
  readonly message: Text;
  readonly advice: Text;
}
