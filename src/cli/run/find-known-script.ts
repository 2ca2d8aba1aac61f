import { basename, dirname, extname } from 'node:path';

import type { JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { type KnownScript, scriptsIn } from '../pick-script.ts';
import type { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import { guessScript, UnknownScriptError } from './guess-script.ts';

/** Finds a script among those of the service. If the name belongs to a script with a broken manifest, the error names the problem. */
export async function findKnownScript(client: ServiceClient, wanted: string): Promise<KnownScript> {
  const { scripts, problems } = await client.get('/api/scripts');
  try {
    return guessScript(scriptsIn(scripts), wanted);
  } catch (error) {
    if (!(error instanceof UnknownScriptError)) throw error;
    const errors = objectsIn(problems).filter(({ severity }) => severity === 'error');
    const own = errors.find((problem) => isLike(folderOf(problem), wanted));
    if (own !== undefined) throw cannotRun(own);
    if (errors.length === 0) throw error;
    throw new UserError(
      error.message +
        tr(
          '\nSome scripts cannot run. hob list shows the reasons.',
          '\n有些脚本无法运行，hob list 会说明原因。',
        ),
    );
  }
}

/** The folder of the script that has the problem. */
export function folderOf({ file }: JsonObject): string {
  const path = textOf(file) ?? '';
  return extname(path) === '' ? path : dirname(path);
}

/** Compares a folder with a name, ignoring case and punctuation: `count-words` and `Count words`. */
function isLike(folder: string, wanted: string): boolean {
  const [name, sought] = [simplified(basename(folder)), simplified(wanted)];
  return sought !== '' && name.includes(sought);
}

function simplified(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function cannotRun(problem: JsonObject): UserError {
  const [folder, message, advice] = [
    printable(folderOf(problem)),
    printable(textOf(problem.message) ?? ''),
    printable(textOf(problem.advice) ?? ''),
  ];
  return new UserError(
    tr(
      `The script in ${folder} cannot run: ${message}\n${advice}`,
      `${folder} 中的脚本无法运行：${message}\n${advice}`,
    ),
  );
}
