import type { Text } from './text.ts';

/** A failure that its user can do something about, said in both languages. Logs have the English one. */
export class ExplainedError extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.text = text;
  }
}
