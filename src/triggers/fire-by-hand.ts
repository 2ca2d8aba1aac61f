import { AppError } from '../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { FiringRequest } from './firing-runs.ts';
import type { Trigger } from './trigger.ts';
import { emptyEvent } from './webhook/event-of.ts';

export interface SentFire {
  readonly data: Json | undefined;
  readonly params: JsonObject | undefined;
}

/** The request for a run that a user starts. It has a value for what a file or a delivery would bring, so that the script can rely on it. */
export function fireByHand(trigger: Trigger, { data, params }: SentFire): FiringRequest {
  if (trigger.kind === 'folder' && !hasValues(data ?? trigger.data)) throw withoutFile(trigger.id);
  const event =
    trigger.kind === 'webhook' && !Object.hasOwn(trigger.params, trigger.into)
      ? { [trigger.into]: emptyEvent }
      : {};
  return { trigger, key: null, ...(data !== undefined && { data }), params: { ...event, ...params } };
}

/** Data of a wrong type counts as a value: the run reports it. */
function hasValues(data: Json = []): boolean {
  const values = isJsonObject(data) ? Object.values(data).flat() : data;
  return !Array.isArray(values) || values.length > 0;
}

function withoutFile(id: string): AppError {
  return new AppError(
    'data-invalid',
    {
      en: `The trigger "${id}" starts its script with a file, but the request has none.`,
      zh: `触发器“${id}”会把文件交给脚本，但请求中没有文件。`,
    },
    {
      hint: {
        en: `Put a file in its folder, send the absolute path of a file in data, or name a file: hob triggers fire ${id} --data FILE`,
        zh: `请把文件放进它的文件夹，在 data 中给出文件的绝对路径，或指定文件：hob triggers fire ${id} --data FILE`,
      },
      fields: ['data'],
    },
  );
}
