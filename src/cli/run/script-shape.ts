import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf, textsIn } from '../answer-fields.ts';
import type { KnownScript } from '../pick-script.ts';
import type { ServiceClient } from '../service-client.ts';
import { findKnownScript } from './find-known-script.ts';

/** What a script takes, as far as the command has to know it. */
export interface ScriptShape extends KnownScript {
  readonly input: MainInput | null;
  readonly params: readonly ShownParam[];
}

export interface MainInput {
  readonly name: string;
  readonly isSingle: boolean;
  /** Which paths its values are: files, folders or both; null for values that are none. */
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
  /** It is asked for only when another has this value. */
  readonly when: { readonly field: string; readonly eq: Json } | null;
  readonly description: string | null;
}

/** The script that is meant, with the answer of the service it was read from. */
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
