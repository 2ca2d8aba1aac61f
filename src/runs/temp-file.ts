import { isAbsolute } from 'node:path';

import { decodeFileText } from '../shared/decode-text.ts';
import { AppError } from '../shared/errors.ts';
import { findJsonHazard, isJsonObject, type Json } from '../shared/json.ts';
import { whereNotJson } from '../shared/json-fault.ts';
import { type ReadFailure, readRegularFile } from '../shared/read-regular-file.ts';
import { fixedText } from '../shared/text.ts';

const maxTempFileBytes = 8 * 1024 * 1024;

export interface FileArguments {
  data: Json | undefined;
  params: Json | undefined;
}

/**
 * Reads arguments in the legacy form: a file with a JSON object (`data` and `params`), a JSON array (values of the main
 * input) or plain text (one value per line). The file is never deleted.
 */
export async function readTempFile(path: string): Promise<FileArguments> {
  if (!isAbsolute(path)) throw invalid(path, 'is not an absolute path', '不是绝对路径');
  if (path.includes('\0')) throw invalid(path, 'is not a valid path', '不是有效路径');
  const file = await readRegularFile(path, { maxBytes: maxTempFileBytes });
  if (file.kind !== 'content') throw failure(path, file);

  const text = decodeFileText(file.bytes);
  const start = text.trimStart()[0];
  if (start === '{' || start === '[') return fromJson(path, text);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return { data: lines, params: undefined };
}

function fromJson(path: string, text: string): FileArguments {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    const where = whereNotJson(text);
    throw invalid(path, `is not valid JSON${where.en}`, `不是有效的 JSON${where.zh}`);
  }
  if (findJsonHazard(value) !== undefined) {
    throw invalid(
      path,
      'is nested too deeply, or contains a forbidden key or a number that is too large',
      '嵌套过深，或含有非法键或过大的数字',
    );
  }
  if (!isJsonObject(value)) return { data: value, params: undefined };
  if (Object.keys(value).length > 0 && !('data' in value) && !('params' in value)) {
    throw invalid(path, 'is an object with neither data nor params', '中的对象既没有 data 也没有 params');
  }
  return { data: value.data ?? undefined, params: value.params ?? undefined };
}

function failure(path: string, { kind, ...details }: ReadFailure): AppError {
  switch (kind) {
    case 'missing':
      return new AppError('temp-file-missing', fixedText(`文件不存在: ${path}`));
    case 'too-large':
      return invalid(path, `is larger than ${maxTempFileBytes} bytes`, `超过 ${maxTempFileBytes} 字节`);
    case 'unreadable':
      return invalid(path, `cannot be read (${'errno' in details ? details.errno : ''})`, '无法读取');
    default:
      return invalid(path, 'is not a regular file', '不是普通文件');
  }
}

function invalid(path: string, en: string, zh: string): AppError {
  return new AppError('temp-file-invalid', { en: `temp_file ${path} ${en}`, zh: `temp_file ${path} ${zh}` });
}
