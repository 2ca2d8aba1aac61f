import type { Text } from '../../shared/text.ts';

/** A build that failed for a reason that the user can fix. */
export class BuildFailure extends Error {
  readonly text: Text;

  constructor(en: string, zh: string) {
    super(en);
    this.name = 'BuildFailure';
    this.text = { en, zh };
  }
}
