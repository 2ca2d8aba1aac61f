/** The languages that `hob new` writes scripts in. */
export const languages = ['python', 'node', 'typescript', 'bash', 'powershell'] as const;
export type ScriptLanguage = (typeof languages)[number];

/** What a script is given beside its params. */
export const inputKinds = ['files', 'folders', 'text', 'none'] as const;
export type InputKind = (typeof inputKinds)[number];

/** All that has to be known to write a script. */
export interface NewScript {
  readonly id: string;
  readonly name: string;
  /** Empty for none. */
  readonly desc: string;
  readonly language: ScriptLanguage;
  readonly input: InputKind;
  /** Whether other scripts may link it. */
  readonly isNode: boolean;
}

/** A file of a new script, by its path in the folder. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}
