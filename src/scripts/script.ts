import type { MenuTarget, Retries, TriggerKind } from '../contract/values.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import type { ScriptLanguage } from './languages.ts';

/** A usable script, as described by its manifest. Immutable: a changed manifest creates a new object. */
export interface Script {
  readonly id: string;
  readonly name: string;
  /** The slug that the manifest asks for. `Slugs` knows the one that the script has. */
  readonly wantedSlug: string | null;
  readonly version: string | null;
  readonly description: string | null;
  /** Relative to the folder. */
  readonly icon: string | null;
  /** Words that group scripts, each once. */
  readonly tags: readonly string[];
  readonly folder: string;
  readonly manifestPath: string;
  /** Name of the root table, `service` in new manifests. */
  readonly rootTable: string;
  readonly runtime: ScriptRuntime;
  readonly input: MainInput | null;
  readonly params: readonly Param[];
  readonly outputs: readonly Output[];
  readonly isNode: boolean;
  readonly models: readonly ModelNeed[];
  /** The scripts that this script calls. */
  readonly dependencies: readonly ScriptDependency[];
  readonly triggers: OfferedTriggers;
  readonly mcp: ScriptMcp;
}

/** The parts of a script that its manifest need not declare. */
export const undeclared = {
  wantedSlug: null,
  version: null,
  description: null,
  icon: null,
  tags: [],
  rootTable: 'service',
  input: null,
  params: [],
  outputs: [],
  isNode: false,
  models: [],
  dependencies: [],
  triggers: { contextMenu: null, shortcut: null, suggestions: [] },
  mcp: {
    enabled: null,
    name: null,
    readOnly: false,
    destructive: true,
    idempotent: false,
    openWorld: true,
  },
} as const satisfies Partial<Script>;

export interface ScriptRuntime {
  readonly language: ScriptLanguage;
  readonly languageVersion: string | null;
  /** Relative to the folder, with forward slashes. */
  readonly entry: string;
  readonly terminal: Terminal;
  /** Null: the setting applies. 0: no limit. */
  readonly timeoutMs: number | null;
  readonly concurrency: number | null;
  readonly lock: string | null;
  /** Null: a failed run is not tried again. */
  readonly retries: Retries | null;
  readonly survivors: Survivors;
  readonly notifyOn: NotifyOn;
  readonly env: Readonly<Record<string, string>>;
  readonly binaries: readonly string[];
  /** Whether the script requires its declared models to start. */
  readonly requireModels: boolean;
  /** Modules that a warm interpreter preloads; Python only. */
  readonly preload: readonly string[];
  /** Whether runs may use a warm interpreter. */
  readonly mayStartWarm: boolean;
}

export const terminals = ['always', 'never', 'auto', 'inverse'] as const;
export type Terminal = (typeof terminals)[number];

export const survivorPolicies = ['keep', 'stop'] as const;
export type Survivors = (typeof survivorPolicies)[number];

/** When the end of an asynchronous run shows a notification. */
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

/** Replacement for secrets in all outputs. */
export const secretMask = '***';

export interface Param {
  readonly name: string;
  readonly label: string;
  /** `any` if the manifest names an unknown type, or neither a type nor a default. */
  readonly type: ParamType | 'any';
  /** Whether the manifest names the type. A type derived from the default does not refuse values. */
  readonly isTypeDeclared: boolean;
  /** Undefined if the manifest sets none: the script then gets the param only if it is sent. */
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

/** The triggers that a manifest offers. The user enables them. */
export interface OfferedTriggers {
  readonly contextMenu: OfferedMenu | null;
  readonly shortcut: OfferedShortcut | null;
  /** Rules that an entry of triggers.toml may refer to by name. */
  readonly suggestions: readonly SuggestedTrigger[];
}

export interface OfferedMenu {
  readonly targets: readonly MenuTarget[];
  /** Extensions in lower case with a dot; empty: all files. */
  readonly filters: readonly string[];
}

export interface OfferedShortcut {
  /** The files or folders that the user is asked for before the run; null: none. */
  readonly asksFor: 'files' | 'folders' | null;
  readonly filters: readonly string[];
}

export interface SuggestedTrigger {
  readonly kind: TriggerKind;
  readonly name: string;
  /** The other fields as written; the entry in triggers.toml overrides them. */
  readonly values: JsonObject;
}

/** How agents see the script as a tool of the Model Context Protocol. The hints are promises of the author. */
export interface ScriptMcp {
  /** Null: the manifest does not say whether agents may call the script. */
  readonly enabled: boolean | null;
  /** The wanted name of the tool; null: made from the slug. */
  readonly name: string | null;
  /** Whether a run changes nothing. */
  readonly readOnly: boolean;
  /** Whether a run may delete or overwrite something. */
  readonly destructive: boolean;
  /** Whether a second run with the same inputs changes nothing more. */
  readonly idempotent: boolean;
  /** Whether a run deals with things outside the machine, such as web pages. */
  readonly openWorld: boolean;
}

export interface ScriptDependency {
  readonly id: string;
  readonly name: string | null;
  /** A version range; null accepts any version. */
  readonly version: string | null;
}

/** The next step for the author of a script. */
export interface Advised {
  readonly advice: Text;
}

/** A problem in a manifest. Only errors prevent the script from running. */
export interface Problem extends Advised {
  readonly severity: 'error' | 'note';
  readonly file: string;
  readonly line: number | null;
  readonly message: Text;
}

/** An error of a whole file. */
export function fileError(file: string, { advice, ...message }: Text & Advised): Problem {
  return { severity: 'error', file, line: null, message, advice };
}

/** The id of Hob's own script that builds environments. */
export const builderId = '6d2f1f0e-53f4-4c39-9a2b-7d0c8b1e4a55';
