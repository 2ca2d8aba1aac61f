import { findJsonHazard, type Json, type JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { exitCodes, UserError } from '../user-error.ts';

/** `name=text` or `name:=json`. */
export interface Assignment {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
}

export function readAssignment(word: string): Assignment {
  const [, name, colon, text] = /^([^=]+?)(:?)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && text !== undefined) return { name, text, isJson: colon === ':' };
  throw new UserError(
    tr(
      `Invalid value "${word}". Use name=text, or name:=json for numbers, lists and other JSON values.`,
      `“${word}” 的写法不对：文本写成 name=文本，数字、列表等写成 name:=JSON。`,
    ),
    exitCodes.usage,
  );
}

/** The values of an envelope. */
export function readValues(words: readonly string[]): JsonObject {
  const values: [string, Json][] = [];
  for (const word of words) {
    const { name, text, isJson } = readAssignment(word);
    if (name === 'code' || name === 'msg') throw reserved(name);
    values.push([name, isJson ? parseJson(name, text) : text]);
  }
  const hazard = findJsonHazard(Object.fromEntries(values));
  if (hazard === undefined) return Object.fromEntries(values);
  throw new UserError(
    tr(
      'Invalid envelope values: they are nested too deeply, or contain a name or number that is not allowed.',
      '这些值不能写入结果：嵌套太深，或者含有不允许的名称或数字。',
    ),
    exitCodes.usage,
  );
}

export function parseJson(name: string, text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(
      tr(
        `Invalid JSON after ${name}:= ${text}\nFor a text, use ${name}=...`,
        `${name}:= 后面必须是 JSON，而这里是：${text}\n文本请写成 ${name}=...`,
      ),
      exitCodes.usage,
    );
  }
}

function reserved(name: 'code' | 'msg'): UserError {
  const command =
    name === 'code' ? 'hob envelope fail <message> --code <number>' : 'hob envelope ok --msg <text>';
  return new UserError(
    tr(`${name} is a reserved name. To set it, use: ${command}`, `${name} 不是自定义的值，请用：${command}`),
    exitCodes.usage,
  );
}
