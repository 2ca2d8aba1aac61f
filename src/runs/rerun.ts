import { type Script, secretMask } from '../scripts/script.ts';
import { AppError } from '../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { readData, readParams } from './inputs.ts';
import type { RunRecord } from './run-record.ts';

interface Sent {
  readonly data: Json | undefined;
  readonly params: Json | undefined;
}

/** The inputs for a rerun: the recorded values, overridden by the sent ones, checked against the current manifest. */
export function rerunInputs(
  record: Pick<RunRecord, 'runId' | 'data' | 'params'>,
  script: Script,
  sent: Sent,
): { data: Json; params: JsonObject } {
  if (sent.data === undefined) assertSameInput(record, script);
  return {
    data: readData(script, sent.data ?? record.data),
    params: readParams(script, rerunParams(record, script, sent.params)),
  };
}

/** The recorded data has the form that the script received, under the name that its input had at that time. */
function assertSameInput({ runId, data }: Pick<RunRecord, 'runId' | 'data'>, { name, input }: Script): void {
  if (input === null || !isJsonObject(data)) return;
  const former = Object.keys(data).find((key) => key !== input.name);
  if (former === undefined) return;
  throw new AppError(
    'data-invalid',
    {
      en: `The data of the run ${runId} belong to the input "${former}", but the main input of "${name}" is now "${input.name}".`,
      zh: `运行 ${runId} 的 data 属于输入 "${former}"，但脚本 "${name}" 的主输入现在是 "${input.name}"。`,
    },
    { hint: hintOf({ data: { [input.name]: ['…'] } }), fields: ['data'] },
  );
}

function rerunParams(
  record: Pick<RunRecord, 'runId' | 'params'>,
  script: Script,
  sent: Json | undefined,
): Json | undefined {
  // `readParams` reports the error.
  if (sent !== undefined && !isJsonObject(sent)) return sent;
  const isSent = (name: string) => sent !== undefined && Object.hasOwn(sent, name);
  // A default in the manifest does not replace a recorded secret: a run that used the default has no value on record,
  // and any other run would be repeated with a wrong value.
  const needed = script.params
    .filter(({ name, secret }) => secret && Object.hasOwn(record.params, name) && !isSent(name))
    .map(({ name }) => name);
  const params = { ...record.params, ...sent };
  // Also params that were secret at the time of the run, and masks that a client read from a record and sent as values.
  const masked = Object.keys(params).filter((name) => params[name] === secretMask);
  const names = [...new Set([...needed, ...masked])];
  if (names.length > 0) throw secretsNeeded(record.runId, names);
  return params;
}

function secretsNeeded(runId: string, names: readonly string[]): AppError {
  return new AppError(
    'secrets-needed',
    {
      en: `Hob does not store secrets. Send these params of the run ${runId} again: ${names.join(', ')}`,
      zh: `密钥类参数不会被保存，运行 ${runId} 的以下参数需要重新发送：${names.join('、')}`,
    },
    {
      hint: hintOf({ params: Object.fromEntries(names.map((name) => [name, '…'])) }),
      fields: names.map((name) => `params.${name}`),
    },
  );
}

function hintOf(body: JsonObject) {
  const text = JSON.stringify(body);
  return { en: `Send ${text}`, zh: `请发送 ${text}` };
}
