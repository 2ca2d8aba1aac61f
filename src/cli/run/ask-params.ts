import { isDeepStrictEqual } from 'node:util';

import type { Json, JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { paint } from '../terminal/paint.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { paramValue } from './param-value.ts';
import type { ScriptShape, ShownParam } from './script-shape.ts';

/** Prompts for missing required params and returns them together with the given ones. */
export async function askForMissing(script: ScriptShape, given: JsonObject): Promise<JsonObject> {
  let params = given;
  for (const param of script.params) {
    if (!isMissing(param, script, params)) continue;
    if (!canAsk()) throw missing(script, given);
    const value = await askFor(param);
    if (value !== undefined) params = { ...params, [param.name]: value };
  }
  return params;
}

/** Prompts for one param until the input is valid. An empty input means no value; the service decides whether one is required. */
export async function askFor(param: ShownParam): Promise<Json | undefined> {
  process.stderr.write(describeParam(param));
  for (;;) {
    const text = await ask(`${printable(param.name)}: `, { isSecret: param.isSecret });
    const isForText = param.type === 'str' && param.choices.length === 0 && !param.isSecret;
    if (text === '' && !isForText) return undefined;
    try {
      return paramValue(param, [choiceMeant(param, text)]);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
}

function isMissing(param: ShownParam, { params }: ScriptShape, given: JsonObject): boolean {
  if (!param.isRequired || param.default !== undefined || Object.hasOwn(given, param.name)) return false;
  const { when } = param;
  if (when === null) return true;
  const other = params.find(({ name }) => name === when.field);
  const value = Object.hasOwn(given, when.field) ? given[when.field] : other?.default;
  return isDeepStrictEqual(value, when.eq);
}

/** The description above the prompt. Choices are numbered, so that one digit is enough. */
function describeParam({ label, name, description, choices, choiceLabels, isSecret }: ShownParam): string {
  const title = [
    ...(label === name || label === '' ? [] : [label]),
    ...(description === null ? [] : [description]),
    ...(isSecret ? [tr('Your input is hidden.', '输入内容不会显示。')] : []),
  ]
    // Labels and descriptions come from manifests and may or may not end with a full stop.
    .map((text, index, all) => (index < all.length - 1 ? text.replace(/[.。]$/, '') : text))
    .join(tr('. ', '。'));
  const lines = choices.map((choice, index) => {
    const shown = textOf(choiceLabels[choice]);
    return `  ${index + 1}  ${choice}${shown === null ? '' : `  ${shown}`}`;
  });
  return [...(title === '' ? [] : [title]), ...lines]
    .map((line) => `${paint('dim', printable(line), process.stderr)}\n`)
    .join('');
}

function choiceMeant({ choices }: ShownParam, text: string): string {
  if (choices.includes(text)) return text;
  return choices[Number(text) - 1] ?? text;
}

function missing(script: ScriptShape, given: JsonObject): UserError {
  const absent = script.params.filter((param) => isMissing(param, script, given));
  const names = absent.map(({ name }) => name).join(', ');
  const shown = absent.map(({ name, isSecret }) => `-p ${name}=${isSecret ? '@file' : '...'}`).join(' ');
  return new UserError(
    tr(
      `${printable(script.name)} requires ${names}, and there is no terminal to prompt on. Add: ${shown}`,
      `${printable(script.name)} 需要参数 ${names}，而这里没有终端可以询问。请加上：${shown}`,
    ),
    exitCodes.usage,
  );
}
