import type { RunEnd } from '../../execution/messages.ts';
import { assertNever } from '../../shared/assert-never.ts';
import type { Language, Text } from '../../shared/text.ts';
import type { EnvelopeReading } from './envelope.ts';
import { isSuccess } from './is-success.ts';

/** Codes of the envelopes that Hob writes if the script wrote none. */
export const synthesizedCodes = { failed: -1, timedOut: -2, noEnvelope: -3 } as const;

export interface Circumstances {
  readonly end: RunEnd;
  readonly timeoutMs: number | null;
  /** Why the script could not be started, if a better description than an errno is known. */
  readonly unavailable: Text | null;
  readonly language: Language;
}

/** Builds the envelope for a script that wrote none: a description of the end and the last error lines. */
export function synthesizeEnvelope(
  circumstances: Circumstances,
  reading: EnvelopeReading,
  lastErrorLines: string,
): { code: number; msg: string } {
  const { end, language } = circumstances;
  const what = describe(circumstances, reading)[language];
  const msg = lastErrorLines === '' ? what : `${what}\n${lastErrorLines}`;
  return { code: codeOf(end), msg };
}

function codeOf(end: RunEnd): number {
  if (end.cause === 'timeout') return synthesizedCodes.timedOut;
  return isSuccess(end) ? synthesizedCodes.noEnvelope : synthesizedCodes.failed;
}

function describe(circumstances: Circumstances, reading: EnvelopeReading): Text {
  const what = describeEnd(circumstances);
  if (isSuccess(circumstances.end)) {
    const { en, zh } = reading.kind === 'invalid' ? describeInvalid(reading.why) : noResult;
    return { en: `${what.en}, but ${en}`, zh: `${what.zh}，但${zh}` };
  }
  if (reading.kind !== 'invalid') return what;
  // A defect of the result may be the cause of the failure, or all that remains of hours of work.
  const { en, zh } = describeInvalid(reading.why);
  return { en: `${what.en}, and ${en}`, zh: `${what.zh}，且${zh}` };
}

function describeInvalid(why: Text): Text {
  return { en: `its result is not valid: ${why.en}`, zh: `结果无效：${why.zh}` };
}

const noResult: Text = {
  en: 'wrote no result (a JSON object with code and msg) to environment.output_json',
  zh: '没有将结果（含 code 和 msg 的 JSON 对象）写入 environment.output_json',
};

function describeEnd({ end, timeoutMs, unavailable }: Circumstances): Text {
  switch (end.cause) {
    case 'exit':
      if (end.exitCode === 0) return { en: 'The script exited with code 0', zh: '脚本已结束' };
      return {
        en: `The script failed with exit code ${end.exitCode}`,
        zh: `脚本执行失败，退出码 ${end.exitCode}`,
      };
    case 'signal':
      return { en: `The script was terminated by ${end.signal}`, zh: `脚本被信号 ${end.signal} 终止` };
    case 'timeout': {
      const seconds = (timeoutMs ?? 0) / 1000;
      return {
        en: `The script ran longer than ${seconds} s and was stopped`,
        zh: `脚本运行超过 ${seconds} 秒，已被终止`,
      };
    }
    case 'cancelled':
      if (end.window === 'gone') {
        return { en: 'The run was stopped because its window was closed', zh: '窗口已关闭，运行已被终止' };
      }
      return { en: 'The run was cancelled', zh: '运行已取消' };
    case 'shutdown':
      return { en: 'The run was stopped because Hob stopped', zh: 'Hob 停止，运行已被终止' };
    case 'lost':
      return { en: 'Hob lost track of the run, so its outcome is unknown', zh: '运行状态丢失，结果未知' };
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
