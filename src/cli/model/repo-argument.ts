import { exitCodes, UserError } from '../user-error.ts';

/** Only what looks like `owner/name` becomes part of an address; whether it is one, the service knows. */
const repoPattern = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

export function checkRepoId(text: string): string {
  if (repoPattern.test(text)) return text;
  throw new UserError(`A model is named <owner>/<name>, and not ${JSON.stringify(text)}.`, exitCodes.usage);
}
