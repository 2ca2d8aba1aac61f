import { access } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import type { PipedInput } from './read-stdin.ts';
import type { ScriptShape } from './script-shape.ts';

/** Converts the arguments after the script name to the main input of a request; empty without arguments. */
export async function inputValues(
  { name, input }: ScriptShape,
  words: readonly string[],
  piped: PipedInput,
): Promise<JsonObject> {
  if (words.length === 0) return {};
  const title = printable(name);
  if (input === null)
    throw new UserError(
      tr(
        `${title} accepts no input values. To see what it accepts: hob show <script>`,
        `${title} 没有主输入。hob show 会说明它接受什么。`,
      ),
      exitCodes.usage,
    );
  const values: string[] = [];
  for (const word of words) values.push(...(word === '-' ? linesOf(await piped.read()) : [word]));
  if (input.isSingle && values.length > 1)
    throw new UserError(
      tr(
        `${title} accepts one input value (${input.name}), but got ${values.length}.`,
        `${title} 只接受一个值（${input.name}），却给了 ${values.length} 个。`,
      ),
      exitCodes.usage,
    );
  return { [input.name]: input.pick !== null ? await existingPaths(values) : values };
}

/** Makes paths absolute, because the script has another working directory. */
async function existingPaths(values: readonly string[]): Promise<string[]> {
  const paths = values.map((value) => resolve(value));
  const missing: string[] = [];
  for (const path of paths) if (!(await exists(path))) missing.push(path);
  if (missing.length === 0) return paths;
  const shown = missing.map((path) => `  ${printable(path)}`).join('\n');
  throw new UserError(
    `${tr('The script was not run, because these paths do not exist:', '没有运行。以下路径不存在：')}\n${shown}`,
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}
