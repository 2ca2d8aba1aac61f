/** The languages that `hob new` writes scripts in. */
export const languages = ['python', 'node', 'typescript', 'bash', 'powershell'] as const;
export type ScriptLanguage = (typeof languages)[number];

/** The kinds of main input. */
export const inputKinds = ['files', 'folders', 'text', 'none'] as const;
export type InputKind = (typeof inputKinds)[number];

/** The properties of a new script. */
export interface NewScript {
  readonly id: string;
  readonly name: string;
  /** Empty if there is none. */
  readonly desc: string;
  readonly language: ScriptLanguage;
  readonly input: InputKind;
  /** Whether other scripts can call it. */
  readonly isNode: boolean;
}

/** A file of a new script, by its path in the folder. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}
