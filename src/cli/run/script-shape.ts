import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf, textsIn } from '../answer-fields.ts';
import type { KnownScript } from '../pick-script.ts';
import type { ServiceClient } from '../service-client.ts';
import { findKnownScript } from './find-known-script.ts';

/** The input and params of a script. */
export interface ScriptShape extends KnownScript {
  readonly input: MainInput | null;
  readonly params: readonly ShownParam[];
}

export interface MainInput {
  readonly name: string;
  readonly isSingle: boolean;
  /** The kind of paths: files, folders or both; null if the values are not paths. */
  readonly pick: string | null;
  readonly exts: readonly string[];
  readonly description: string | null;
}

export interface ShownParam {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly default: Json | undefined;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
  readonly choiceLabels: JsonObject;
  readonly isSecret: boolean;
  /** The param applies only if another param has this value. */
  readonly when: { readonly field: string; readonly eq: Json } | null;
  readonly description: string | null;
}

/** Finds a script. Also returns the response it was read from. */
export async function findScript(
  client: ServiceClient,
  wanted: string,
): Promise<{ script: ScriptShape; answer: JsonObject }> {
  const { id } = await findKnownScript(client, wanted);
  const answer = await client.get(`/api/scripts/${encodeURIComponent(id)}`);
  return { script: readScript(answer), answer };
}

export function readScript(answer: JsonObject): ScriptShape {
  return {
    id: textOf(answer.id) ?? '',
    name: textOf(answer.name) ?? '',
    input: isJsonObject(answer.input) ? readInput(answer.input) : null,
    params: objectsIn(answer.params).map(readParam),
  };
}

function readInput(input: JsonObject): MainInput {
  return {
    name: textOf(input.name) ?? '',
    isSingle: input.type === 'str',
    pick: textOf(input.pick),
    exts: textsIn(input.exts),
    description: textOf(input.description),
  };
}

function readParam(param: JsonObject): ShownParam {
  const { when } = param;
  return {
    name: textOf(param.name) ?? '',
    label: textOf(param.label) ?? '',
    type: textOf(param.type) ?? 'str',
    default: param.default,
    isRequired: param.required === true,
    choices: textsIn(param.choices),
    choiceLabels: isJsonObject(param.choice_labels) ? param.choice_labels : {},
    isSecret: param.secret === true,
    when: isJsonObject(when) ? { field: textOf(when.field) ?? '', eq: when.eq ?? null } : null,
    description: textOf(param.description),
  };
}
