import { DownloadBody, globBounds } from '../contract/model-downloads.ts';
import { type ModelSource, modelSources } from '../contract/values.ts';
import { parseRepoId, type RepoId } from '../models/repo-id.ts';
import { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import { invalidField } from './query-fields.ts';
import { repoIdInvalid } from './repo-id-invalid.ts';

/** The fields of a download request; null: not given. */
export interface DownloadFields {
  readonly repo: RepoId;
  readonly source: ModelSource | null;
  readonly files: readonly string[] | null;
  readonly revision: string | null;
}

/** Reads the fields of a download request. Refuses unknown names, because a typing error could cost gigabytes. */
export function readDownloadFields(fields: JsonObject): DownloadFields {
  const known = Object.keys(DownloadBody.properties);
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownField(unknown, known);
  return {
    repo: readRepo(fields),
    source: readSource(fields),
    files: readFiles(fields),
    revision: readRevision(fields),
  };
}

function readRepo({ repo_id: id }: JsonObject): RepoId {
  const repo = typeof id === 'string' ? parseRepoId(id) : null;
  if (repo === null) throw repoIdInvalid();
  return repo;
}

function readSource({ source }: JsonObject): ModelSource | null {
  if (source === undefined || source === null) return null;
  const known = modelSources.find((each) => each === source);
  if (known === undefined)
    throw invalidField('source', modelSources.join(' or '), `以下之一: ${modelSources.join('、')}`);
  return known;
}

function readFiles({ files }: JsonObject): readonly string[] | null {
  if (files === undefined || files === null) return null;
  const { count, length } = globBounds;
  const globs = Array.isArray(files) ? files.filter(isGlob) : [];
  if (!Array.isArray(files) || files.length > count || globs.length < files.length)
    throw invalidField(
      'files',
      `a list of at most ${count} globs such as "*.onnx", each of 1 to ${length} characters`,
      `通配符列表，例如 "*.onnx"，最多 ${count} 个，每个 1 到 ${length} 个字符`,
    );
  return globs;
}

function isGlob(value: unknown): value is string {
  return typeof value === 'string' && value.length <= globBounds.length && /^[^\p{Cc}\p{Cs}]+$/u.test(value);
}

/** The revision becomes part of a URL and of a path. Names such as refs/pr/7 are valid. */
const revisionPattern = /^(?=.{1,200}$)\w(?:[\w.-]*[\w-])?(?:\/\w(?:[\w.-]*[\w-])?)*$/;

function readRevision({ revision }: JsonObject): string | null {
  if (revision === undefined || revision === null) return null;
  const isSafe = typeof revision === 'string' && revisionPattern.test(revision) && !revision.includes('..');
  if (!isSafe)
    throw invalidField(
      'revision',
      'a branch, tag or commit, and contain only letters, digits and . _ - /',
      '分支、标签或提交，仅可含字母、数字和 . _ - /',
    );
  return revision;
}

function unknownField(name: string, known: readonly string[]): AppError {
  const given = JSON.stringify(name.slice(0, 100));
  const list = known.join(', ');
  return new AppError('field-invalid', {
    en: `Unknown field ${given}. Known fields: ${list}`,
    zh: `未知的字段 ${given}，可用的有 ${list}`,
  });
}
