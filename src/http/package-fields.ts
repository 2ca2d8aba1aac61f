import { mostSourceCharacters } from '../contract/packages.ts';
import { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import { invalidField } from './query-fields.ts';

/** The fields of a package request; null: not given. */
export interface PackageFields {
  readonly source: string | null;
  readonly ref: string | null;
  readonly path: string | null;
  readonly prepare: boolean;
}

/** Reads the fields of a package request. Refuses unknown names, because they may be typing errors. */
export function readPackageFields(fields: JsonObject, { properties }: { properties: object }): PackageFields {
  refuseOthers(fields, Object.keys(properties));
  return {
    source: readText(fields, 'source'),
    ref: readText(fields, 'ref'),
    path: readText(fields, 'path'),
    prepare: readPrepare(fields),
  };
}

/** For requests that have no fields. */
export function refuseFields(fields: JsonObject): void {
  refuseOthers(fields, []);
}

export function sourceMissing(): AppError {
  return invalidField(
    'source',
    'the absolute path of a folder, .zip or .tar.gz, or the address of a git repository',
    '文件夹、.zip 或 .tar.gz 的绝对路径，或 git 仓库地址',
  );
}

function readText(fields: JsonObject, name: 'source' | 'ref' | 'path'): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  const isText = typeof value === 'string' && value !== '' && value.length <= mostSourceCharacters;
  // Paths, addresses and branch names contain no control characters or lone surrogates, and such text cannot be passed to git.
  if (!isText || /[\p{Cc}\p{Cs}]/u.test(value))
    throw invalidField(
      name,
      `a string of 1 to ${mostSourceCharacters} characters without control characters`,
      ` 1 到 ${mostSourceCharacters} 个字符的文本，不含控制字符`,
    );
  return value;
}

function readPrepare({ prepare }: JsonObject): boolean {
  if (prepare === undefined || prepare === null) return true;
  if (typeof prepare !== 'boolean') throw invalidField('prepare', 'true or false', ' true 或 false');
  return prepare;
}

function refuseOthers(fields: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const given = JSON.stringify(unknown.slice(0, 100));
  const list = known.join(', ');
  throw new AppError('field-invalid', {
    en: `Unknown field ${given}. ${list === '' ? 'This request has no fields' : `Known fields: ${list}`}`,
    zh: `未知的字段 ${given}${list === '' ? '' : `，可用的有 ${list}`}`,
  });
}
