import type { RunEnd } from '../execution/messages.ts';
import { assertNever } from '../shared/assert-never.ts';
import { decodeFileText } from '../shared/decode-text.ts';
import { findJsonHazard, isJsonObject, type JsonObject } from '../shared/json.ts';
import { type ReadFailure, readRegularFile } from '../shared/read-regular-file.ts';
import type { Language, Text } from '../shared/text.ts';
import { whenPossible } from '../shared/when-possible.ts';

export type EnvelopeReading =
  | { kind: 'valid'; envelope: JsonObject }
  | { kind: 'absent' }
  | { kind: 'invalid'; why: Text };

/** The envelope a script left behind. Its file is as hostile as the script: whatever is in it, this returns. */
export async function readEnvelope(path: string, maxBytes: number): Promise<EnvelopeReading> {
  const read = () => readRegularFile(path, { maxBytes, ownOnly: true });
  const file = await whenPossible(read, (result) =>
    result.kind === 'unreadable' ? result.errno : undefined,
  );
  if (file.kind === 'missing') return { kind: 'absent' };
  if (file.kind !== 'content') return invalid(describeFailure(file, maxBytes));
  if (file.bytes.length === 0) return { kind: 'absent' };

  let value: unknown;
  try {
    value = JSON.parse(decodeFileText(file.bytes));
  } catch {
    return invalid({ en: 'the result file is not valid JSON', zh: '结果文件不是有效的 JSON' });
  }
  if (!isJsonObject(value))
    return invalid({ en: 'the result is not a JSON object', zh: '结果不是 JSON 对象' });
  const hazard = findJsonHazard(value);
  if (hazard?.kind === 'depth') return invalid({ en: 'the result is nested too deeply', zh: '结果嵌套过深' });
  if (hazard !== undefined)
    return invalid({ en: `the result has the key ${hazard.key}`, zh: `结果含有非法键 ${hazard.key}` });
  if (!Number.isSafeInteger(value.code))
    return invalid({ en: 'code is not a whole number', zh: 'code 不是整数' });
  if (typeof value.msg !== 'string') return invalid({ en: 'msg is not a text', zh: 'msg 不是字符串' });
  return { kind: 'valid', envelope: value };
}

function invalid(why: Text): EnvelopeReading {
  return { kind: 'invalid', why };
}

function describeFailure(failure: ReadFailure, maxBytes: number): Text {
  if (failure.kind === 'too-large') {
    return { en: `the result file is larger than ${maxBytes} bytes`, zh: `结果文件超过 ${maxBytes} 字节` };
  }
  const reason = failure.kind === 'unreadable' ? failure.errno : failure.kind;
  return { en: `the result file cannot be used (${reason})`, zh: `结果文件不可用（${reason}）` };
}

/** Codes of the envelopes that Hob writes in a script's place. */
export const synthesizedCodes = { failed: -1, timedOut: -2, noEnvelope: -3 } as const;

interface Circumstances {
  end: RunEnd;
  timeoutMs: number | null;
  /** Why the script could not be started at all, where that is known better than by an errno. */
  unavailable: Text | null;
  reading: EnvelopeReading;
  lastErrorLines: string;
  language: Language;
}

/** The envelope for a script that left none: what happened, and the last it said about it. */
export function synthesizeEnvelope(circumstances: Circumstances): JsonObject {
  const { end, language, lastErrorLines } = circumstances;
  const what = describeEnd(circumstances)[language];
  const msg = lastErrorLines === '' ? what : `${what}\n${lastErrorLines}`;
  return { code: codeOf(end), msg };
}

function codeOf(end: RunEnd): number {
  if (end.cause === 'timeout') return synthesizedCodes.timedOut;
  return end.cause === 'exit' && end.exitCode === 0 ? synthesizedCodes.noEnvelope : synthesizedCodes.failed;
}

function describeEnd({ end, timeoutMs, unavailable, reading }: Circumstances): Text {
  switch (end.cause) {
    case 'exit':
      if (end.exitCode !== 0) {
        return {
          en: `The script failed with exit code ${end.exitCode}`,
          zh: `脚本执行失败，退出码 ${end.exitCode}`,
        };
      }
      if (reading.kind === 'invalid') {
        return {
          en: `The script ended well, but its result cannot be used: ${reading.why.en}`,
          zh: `脚本已结束，但结果无效：${reading.why.zh}`,
        };
      }
      return {
        en: 'The script ended well, but wrote no result: a JSON object with code and msg, to environment.output_json',
        zh: '脚本已结束，但没有将结果（含 code 和 msg 的 JSON 对象）写入 environment.output_json',
      };
    case 'signal':
      return { en: `The script was ended by ${end.signal}`, zh: `脚本被信号 ${end.signal} 终止` };
    case 'timeout': {
      const seconds = (timeoutMs ?? 0) / 1000;
      return {
        en: `The script ran longer than ${seconds} s and was stopped`,
        zh: `脚本运行超过 ${seconds} 秒，已被终止`,
      };
    }
    case 'cancelled':
      return { en: 'The run was cancelled', zh: '运行已取消' };
    case 'shutdown':
      return { en: 'The run was stopped because Hob was stopped', zh: 'Hob 停止，运行已被终止' };
    case 'lost':
      return { en: 'Hob lost sight of the run, so how it ended is not known', zh: '运行状态丢失，结果未知' };
    case 'spawn-failed':
      if (unavailable !== null) return unavailable;
      return {
        en: `The script could not be started (${end.spawnError})`,
        zh: `脚本无法启动（${end.spawnError}）`,
      };
    default:
      return assertNever(end.cause);
  }
}
