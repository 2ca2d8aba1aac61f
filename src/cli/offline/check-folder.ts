import { stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { checkRecipe } from '../../environments/recipe/read-recipe.ts';
import { checkFolder } from '../../packages/check/check-folder.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { language, tr } from '../language.ts';
import { problemLines } from '../terminal/problem-lines.ts';
import { joinCounts, printable } from '../terminal/text.ts';
import { userError } from '../user-error.ts';

export interface Checked {
  readonly folder: string;
  readonly script: Script | null;
  readonly problems: readonly Problem[];
  readonly errors: number;
  readonly notes: number;
}

/** Checks the script in a folder. Throws if the folder does not exist. */
export async function examineFolder(text: string): Promise<Checked> {
  const folder = resolve(text);
  const found = await stat(folder).catch(() => null);
  if (found === null) throw userError(`The folder ${folder} does not exist.`, `文件夹 ${folder} 不存在。`);
  if (!found.isDirectory()) throw userError(`${folder} is not a folder.`, `${folder} 不是文件夹。`);
  const { script, problems } = await checkFolder(folder, { checks: [checkRecipe] });
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return { folder, script, problems, errors, notes: problems.length - errors };
}

export function describeChecked(checked: Checked, stream: NodeJS.WriteStream): string {
  const { folder, script, problems, errors, notes } = checked;
  const shown = problems.map(({ severity, file, line, message, advice }) => ({
    severity,
    file: printable(inside(folder, file)),
    line,
    message: printable(message[language]),
    advice: printable(advice[language]),
  }));
  const lines = problemLines(shown, stream);
  const counts = joinCounts([errors, 'error', '个错误'], [notes, 'note', '条提示']);
  const title =
    script === null ? folder : `${script.name}${script.version === null ? '' : ` ${script.version}`}`;
  const summary =
    errors > 0
      ? tr(
          `${counts}. The script cannot be installed until the ${errors === 1 ? 'error is' : 'errors are'} fixed.`,
          `${counts}。修正错误后才能安装。`,
        )
      : tr(
          `${title}: no errors${notes > 0 ? `, ${counts}` : ''}.`,
          `${title} 没有错误${notes > 0 ? `，有 ${counts}` : ''}。`,
        );
  return `${[...lines, ...(lines.length > 0 ? [''] : []), printable(summary)].join('\n')}\n`;
}

/** JSON output is for programs and therefore always in English. */
export function checkedAsJson({ folder, script, problems, errors, notes }: Checked) {
  return {
    folder,
    script: script === null ? null : { id: script.id, name: script.name, version: script.version },
    problems: problems.map(({ severity, file, line, message, advice }) => ({
      severity,
      file: inside(folder, file),
      line,
      message: message.en,
      advice: advice.en,
    })),
    errors,
    notes,
  };
}

/** The path relative to the folder, if the file is inside it. */
function inside(folder: string, file: string): string {
  const path = relative(folder, file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
}
