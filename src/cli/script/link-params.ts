import type { Json, JsonObject } from '../../shared/json.ts';
import { objectsIn } from '../answer-fields.ts';
import { parseJson, readAssignment } from './assignments.ts';
import { callHob } from './call-hob.ts';
import type { ThisRun } from './this-run.ts';

/** The params of a linked script. What `name=value` is a value of, its manifest says. */
export async function readLinkParams(
  run: Pick<ThisRun, 'apiBase'>,
  scriptId: string,
  words: readonly string[],
): Promise<JsonObject> {
  const assignments = words.map(readAssignment);
  const script = assignments.some(({ isJson }) => !isJson)
    ? await callHob(run, `/api/scripts/${encodeURIComponent(scriptId)}`)
    : {};
  const types = new Map(objectsIn(script.params).map(({ name, type }) => [name, type]));
  const params = assignments.map(({ name, text, isJson }): [string, Json] => {
    if (isJson) return [name, parseJson(name, text)];
    const type = types.get(name);
    return [name, type === undefined || type === 'str' ? text : jsonOrText(text)];
  });
  return Object.fromEntries(params);
}

/** Hob knows best how to say that a text is no number. */
function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
