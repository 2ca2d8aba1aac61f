import { dirname } from 'node:path';

import { assertNever } from '../../shared/assert-never.ts';
import { fileToUtf8 } from '../../shared/decode-text.ts';
import { type JsonText, textOf } from '../../shared/json.ts';
import { isOwnFolder } from '../../shared/private-files.ts';
import { type ReadFailure, type ReadResult, readRegularFile } from '../../shared/read-regular-file.ts';
import { type JsonScan, type Member, scanJson } from '../../shared/scan-json.ts';
import type { Text } from '../../shared/text.ts';
import { whenPossible } from '../../shared/when-possible.ts';

/** Longer than any usual spelling of an integer. */
const longestNumberBytes = 100;

export type EnvelopeReading =
  /** `msg` is the literal in the text. */
  | { kind: 'valid'; text: JsonText; code: number; msg: JsonText }
  | { kind: 'absent' }
  | { kind: 'invalid'; why: Text };

/**
 * Reads the envelope that a script wrote. Keeps its text, because parsing and printing would change large numbers. The
 * file is not trusted. This function never rejects, for any content of the file.
 */
export async function readEnvelope(path: string, maxBytes: number): Promise<EnvelopeReading> {
  const read = async (): Promise<ReadResult> =>
    isOwnFolder(dirname(path)) ? readRegularFile(path, { maxBytes, ownOnly: true }) : { kind: 'missing' };
  const file = await whenPossible(read, (result) =>
    result.kind === 'unreadable' ? result.errno : undefined,
  );
  if (file.kind === 'missing') return { kind: 'absent' };
  if (file.kind !== 'content') return invalid(describeFailure(file, maxBytes));
  if (file.bytes.length === 0) return { kind: 'absent' };
  return checkEnvelope(fileToUtf8(file.bytes));
}

/** Checks whether a text is a valid envelope. */
export function checkEnvelope(bytes: Uint8Array): EnvelopeReading {
  const found = new Map<string, Member>();
  const scan = scanJson(bytes, ['code', 'msg'], (member) => {
    const earlier = found.get(member.key);
    if (earlier !== undefined) blank(bytes, earlier);
    found.set(member.key, member);
  });
  if (scan.kind !== 'object') return invalid(describeScan(scan));
  const literalOf = (key: string) => {
    const member = found.get(key);
    return member === undefined ? undefined : bytes.subarray(member.valueStart, member.valueEnd);
  };
  const code = wholeNumber(literalOf('code'));
  if (code === null) return invalid({ en: 'code is not an integer', zh: 'code 不是整数' });
  const msg = literalOf('msg');
  if (msg === undefined || !isText(msg)) return invalid({ en: 'msg is not a string', zh: 'msg 不是字符串' });
  return { kind: 'valid', text: bytes.subarray(scan.start, scan.end), code, msg };
}

/**
 * Overwrites an earlier duplicate of a key, with its comma. The last of two equal keys counts, here as in most parsers.
 * But some parsers take the first, and would see another `code` or `msg` than the one on record.
 */
function blank(bytes: Uint8Array, { keyStart, valueEnd }: Member): void {
  const comma = bytes.indexOf(0x2c, valueEnd);
  bytes.fill(0x20, keyStart, comma + 1);
}

function wholeNumber(literal: JsonText | undefined): number | null {
  if (literal === undefined || literal.length > longestNumberBytes) return null;
  const value: unknown = JSON.parse(textOf(literal));
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

function isText(literal: JsonText): boolean {
  return literal[0] === 0x22;
}

function invalid(why: Text): EnvelopeReading {
  return { kind: 'invalid', why };
}

function describeScan(scan: JsonScan): Text {
  if (scan.kind === 'malformed')
    return { en: 'the result file is not valid JSON', zh: '结果文件不是有效的 JSON' };
  if (scan.kind !== 'hazard') return { en: 'the result is not a JSON object', zh: '结果不是 JSON 对象' };
  const { hazard } = scan;
  switch (hazard.kind) {
    case 'depth':
      return { en: 'the result is nested too deeply', zh: '结果嵌套过深' };
    case 'key':
      return { en: `the result has the forbidden key ${hazard.key}`, zh: `结果含有非法键 ${hazard.key}` };
    case 'number':
      return {
        en: `the result has a number that is too large for most JSON parsers: ${hazard.text}`,
        zh: `结果中的数值超出可表示范围：${hazard.text}`,
      };
    default:
      return assertNever(hazard);
  }
}

function describeFailure(failure: ReadFailure, maxBytes: number): Text {
  if (failure.kind === 'too-large') {
    const { sizeBytes } = failure;
    return {
      en: `the result file has ${sizeBytes} bytes; the limit is ${maxBytes} (setting result_mib)`,
      zh: `结果文件有 ${sizeBytes} 字节，超过上限 ${maxBytes} 字节（设置 result_mib）`,
    };
  }
  const reason = failure.kind === 'unreadable' ? failure.errno : failure.kind;
  return { en: `the result file cannot be used (${reason})`, zh: `结果文件不可用（${reason}）` };
}
