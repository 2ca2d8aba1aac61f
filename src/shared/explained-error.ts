import type { Text } from './text.ts';

/** A failure that the user can fix, described in both languages. Logs contain the English text. */
export class ExplainedError extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.text = text;
  }
}
