import type { Text } from '../../shared/text.ts';

/** A build that cannot succeed, for a reason that its user can do something about. */
export class BuildFailure extends Error {
  readonly text: Text;

  constructor(en: string, zh: string) {
    super(en);
    this.name = 'BuildFailure';
    this.text = { en, zh };
  }
}
