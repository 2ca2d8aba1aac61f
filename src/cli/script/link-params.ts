import type { JsonObject } from '../../shared/json.ts';
import { paramValue } from '../run/param-value.ts';
import { readScript } from '../run/script-shape.ts';
import { parseJson, readAssignment } from './assignments.ts';
import { callHob } from './call-hob.ts';
import type { ThisRun } from './this-run.ts';

/** The params of a linked script. The manifest of that script gives the type of each `name=value`. */
export async function readLinkParams(
  run: Pick<ThisRun, 'apiBase'>,
  scriptId: string,
  words: readonly string[],
): Promise<JsonObject> {
  const assignments = words.map(readAssignment);
  const declared = assignments.some(({ isJson }) => !isJson)
    ? readScript(await callHob(run, `/api/scripts/${encodeURIComponent(scriptId)}`)).params
    : [];
  const params: JsonObject = {};
  for (const { name, text, isJson } of assignments) {
    const param = declared.find((each) => each.name === name);
    const texts = assignments
      .filter((other) => other.name === name && !other.isJson)
      .map((other) => other.text);
    if (isJson) params[name] = parseJson(name, text);
    else params[name] = param === undefined ? text : paramValue(param, texts);
  }
  return params;
}
