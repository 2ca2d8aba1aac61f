import { tr } from '../language.ts';
import { exitCodes, UserError } from '../user-error.ts';

/** Only names of the form `owner/name` go into a URL. The service checks the rest. */
const repoPattern = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

export function checkRepoId(text: string): string {
  if (repoPattern.test(text)) return text;
  const shown = JSON.stringify(text);
  throw new UserError(
    tr(
      `Invalid model name ${shown}: expected <owner>/<name>.`,
      `模型名称的格式是 <owner>/<name>，而不是 ${shown}。`,
    ),
    exitCodes.usage,
  );
}
