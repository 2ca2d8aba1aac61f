import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';

import * as schemas from '../contract/models.ts';
import type { Download } from '../contract/types.ts';
import { type ModelSource, modelPlaces, modelSources } from '../contract/values.ts';
import type { DownloadView } from '../models/downloads/download.ts';
import type { ListedModel } from '../models/model-library.ts';
import { formatRepoId, parseRepoId, type RepoId } from '../models/repo-id.ts';
import type { RepoNeed } from '../scripts/model-needs.ts';
import { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';
import type { AppDependencies } from './dependencies.ts';
import { failureAnswer } from './error-answers.ts';
import { checkQuery, invalidField, noSuch, QueryFields, refuseUnknown } from './fields.ts';
import { bodyOf, languageOf, success } from './request.ts';
import { route } from './route.ts';

export function addModelRoutes(
  app: FastifyInstance,
  { models, downloads, modelNeeds }: AppDependencies,
): void {
  route(app, 'GET /api/model/path', {
    operationId: 'getModelPath',
    tag: 'Models',
    summary: 'Get the folder of a model',
    description: 'Returns the folder of a downloaded model.',
    query: schemas.ModelPathQuery,
    answer: schemas.ModelPathAnswer,
    error: schemas.ModelPathError,
    async handle(request) {
      const { query } = request;
      // A missing, repeated or malformed id is refused below.
      const repoId = Value.Check(schemas.ModelPathQuery, query) ? query.repo_id : '';
      const path = await models.folderOf(readRepo(repoId));
      if (path === null) {
        throw new AppError('model-not-downloaded', {
          en: `The model ${repoId} is not downloaded.`,
          zh: `模型 ${repoId} 未下载`,
        });
      }
      const message = { en: `Got the path of the model ${repoId}.`, zh: `获取模型 ${repoId} 路径成功` };
      return {
        code: 200,
        data: { path, repo_id: repoId },
        message: message[languageOf(request, 'zh')],
        success: true,
      };
    },
  });

  route(app, 'POST /api/models/download', {
    operationId: 'downloadModel',
    tag: 'Models',
    summary: 'Download a model',
    description: 'Starts the download of a model, or joins the one in progress. Responds immediately.',
    body: schemas.DownloadBody,
    examples: {
      some: {
        summary: 'Some files of a model',
        body: { repo_id: 'acme/tiny', source: 'huggingface', files: ['*.onnx'] },
      },
    },
    answer: schemas.DownloadStarted,
    async handle(request) {
      const { repo, source, files, revision } = readDownloadFields(bodyOf(request).fields);
      const repoId = formatRepoId(repo);
      const need = modelNeeds.of(repoId);
      const declared = need === null || need.isAll ? [] : need.globs;
      const { download, isJoined } = downloads.start({
        repo,
        source: source ?? need?.source ?? 'huggingface',
        files: files ?? declared,
        revision,
      });
      const message = isJoined
        ? { en: `${repoId} is already being downloaded`, zh: `模型 ${repoId} 正在下载` }
        : { en: `Started the download of ${repoId}`, zh: `模型 ${repoId} 开始下载` };
      return success(request, message, { download_id: download.id, is_joined: isJoined });
    },
  });

  route(app, 'GET /api/models/downloads', {
    operationId: 'listDownloads',
    tag: 'Models',
    summary: 'List downloads',
    description:
      'Lists the downloads in progress and the latest that ended since the service started, newest first.',
    answer: schemas.DownloadsAnswer,
    async handle(request) {
      checkQuery(request.query);
      const language = languageOf(request, 'en');
      return { items: downloads.list().map((each) => downloadAnswer(each, language)), next: null };
    },
  });

  const findDownload = (id: string): DownloadView => {
    const download = downloads.find(id);
    if (download === null) throw unknownDownload(id);
    return download;
  };
  route(app, 'GET /api/models/downloads/:id', {
    operationId: 'getDownload',
    tag: 'Models',
    summary: 'Get a download',
    description: 'Returns the progress or the outcome of a download.',
    answer: schemas.DownloadAnswer,
    handle: async (request) => downloadAnswer(findDownload(request.params.id), languageOf(request, 'en')),
  });

  route(app, 'POST /api/models/downloads/:id/cancel', {
    operationId: 'cancelDownload',
    tag: 'Models',
    summary: 'Stop a download',
    description:
      'Stops the download for all callers that wait for it. Hob keeps the received data, and the next download of the model resumes from there.',
    answer: schemas.DownloadCancelled,
    async handle(request) {
      const { id } = findDownload(request.params.id);
      // Cancelling a download that is already being stopped succeeds, too.
      if (!downloads.cancel(id) && findDownload(id).state !== 'running')
        throw new AppError('download-ended', { en: 'The download has already ended', zh: '下载已结束' });
      const message = { en: 'The download is being stopped', zh: '正在停止下载' };
      return success(request, message, { download_id: id });
    },
  });

  /** All copies on this machine, and the missing models that scripts need, sorted by id. */
  const listItems = async () => {
    const listed = await models.list();
    const found = new Set(listed.map(({ repo }) => formatRepoId(repo)));
    const missing = modelNeeds
      .all()
      .filter(({ repoId }) => parseRepoId(repoId) !== null && !found.has(repoId));
    const items = [
      ...listed.map((model) => modelItem(model, modelNeeds.of(formatRepoId(model.repo)))),
      ...missing.map(missingItem),
    ];
    // The sort is stable: copies of one repo stay in search order.
    return items.sort((a, b) => Number(a.repo_id > b.repo_id) - Number(a.repo_id < b.repo_id));
  };
  route(app, 'GET /api/models', {
    operationId: 'listModels',
    tag: 'Models',
    summary: 'List models',
    description:
      'Lists every model on this machine, complete or not, and the missing models that scripts need.',
    answer: schemas.ModelsAnswer,
    handle: async () => ({ items: await listItems(), next: null }),
  });

  route(app, 'GET /api/models/:owner/:name', {
    operationId: 'getModel',
    tag: 'Models',
    summary: 'Get a model',
    description:
      'Lists the copies of one model on this machine, in search order. A model that only a script needs is listed as missing.',
    answer: schemas.ModelsAnswer,
    async handle(request) {
      checkQuery(request.query);
      const id = formatRepoId(readRepo(`${request.params.owner}/${request.params.name}`));
      const items = (await listItems()).filter((item) => item.repo_id === id);
      if (items.length > 0) return { items, next: null };
      throw new AppError('model-not-downloaded', {
        en: `The model ${id} is not on this machine, and no script needs it.`,
        zh: `本机没有模型 ${id}，也没有脚本需要它`,
        hint: { en: `Download it: hob model pull ${id}`, zh: `下载：hob model pull ${id}` },
      });
    },
  });

  route(app, 'DELETE /api/models/:owner/:name', {
    operationId: 'removeModel',
    tag: 'Models',
    summary: 'Remove a model',
    description:
      'Removes a model from one place and returns the freed bytes. Hob removes nothing from the folders of the setting `model_folders`, unless the folder is also one of the standard caches.',
    query: schemas.RemoveModelQuery,
    answer: schemas.RemoveModelAnswer,
    async handle(request) {
      const { owner, name } = request.params;
      const repo = readRepo(`${owner}/${name}`);
      const query = new QueryFields(request.query, schemas.RemoveModelQuery);
      const isDryRun = readBoolean(query, 'dry_run');
      const removal = await models.remove(repo, { kind: readPlace(query), isDryRun });
      const id = formatRepoId(repo);
      const message = isDryRun
        ? { en: `The model ${id} would be removed`, zh: `将删除模型 ${id}` }
        : { en: `The model ${id} was removed`, zh: `已删除模型 ${id}` };
      return success(request, message, { folder: removal.folder, freed_bytes: removal.freedBytes });
    },
  });
}

function modelItem(model: ListedModel, need: RepoNeed | null) {
  return {
    repo_id: formatRepoId(model.repo),
    source: sourceOf(model, need),
    place: model.place,
    folder: model.folder,
    revision: model.revision,
    size_bytes: model.sizeBytes,
    state: model.state,
    is_used: model.isUsed,
    is_removable: model.isRemovable,
    needed_by: neededBy(need),
  };
}

/** A cache belongs to one hub. For other places, the source is known only if a script declares it. */
function sourceOf({ place }: ListedModel, need: RepoNeed | null): ModelSource | null {
  return modelSources.find((source) => source === place) ?? need?.source ?? null;
}

function missingItem(need: RepoNeed) {
  return {
    repo_id: need.repoId,
    source: need.source,
    place: null,
    folder: null,
    revision: null,
    size_bytes: 0,
    state: 'missing',
    is_used: false,
    is_removable: false,
    needed_by: neededBy(need),
  };
}

function neededBy(need: RepoNeed | null): { script_id: string; script_name: string }[] {
  return (need?.scripts ?? []).map(({ id, name }) => ({ script_id: id, script_name: name }));
}

/** The JSON form of a download. */
export function downloadAnswer(download: DownloadView, language: Language): Download {
  const { repo, error } = download;
  return {
    download_id: download.id,
    repo_id: formatRepoId(repo),
    source: download.source,
    revision: download.revision,
    files: [...download.files],
    state: download.state,
    bytes_done: download.bytesDone,
    bytes_total: download.bytesTotal,
    files_done: download.filesDone,
    files_total: download.filesTotal,
    bytes_per_s: download.bytesPerSecond,
    seconds_left: download.secondsLeft,
    started_at: download.startedAt,
    ended_at: download.endedAt,
    folder: download.folder,
    error: failureAnswer(error, language),
  };
}

/** The fields of a download request; null: not given. */
interface DownloadFields {
  readonly repo: RepoId;
  readonly source: ModelSource | null;
  readonly files: readonly string[] | null;
  readonly revision: string | null;
}

/** Reads the fields of a download request. Refuses unknown names, because a typing error could cost gigabytes. */
export function readDownloadFields(fields: JsonObject): DownloadFields {
  refuseUnknown(fields, schemas.DownloadBody);
  return {
    repo: readRepo(fields.repo_id, ['repo_id']),
    source: readSource(fields),
    files: readFiles(fields),
    revision: readRevision(fields),
  };
}

function readRepo(id: unknown, fields: string[] = []): RepoId {
  const repo = typeof id === 'string' ? parseRepoId(id) : null;
  if (repo === null) throw repoIdInvalid(fields);
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
  const { count, length } = schemas.globBounds;
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
  return (
    typeof value === 'string' &&
    value.length <= schemas.globBounds.length &&
    /^[^\p{Cc}\p{Cs}]+$/u.test(value)
  );
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

function readPlace(query: QueryFields) {
  const text = query.text('place');
  const place = modelPlaces.find((known) => known === text) ?? null;
  const list = modelPlaces.join(', ');
  if (text !== null && place === null) throw invalidField('place', `one of ${list}`, ` ${list} 之一`);
  return place;
}

function readBoolean(query: QueryFields, name: string): boolean {
  const text = query.text(name);
  // Refuse other spellings: a misspelt dry run must never remove the model.
  if (text !== null && text !== 'true' && text !== 'false')
    throw invalidField(name, 'true or false', ' true 或 false');
  return text === 'true';
}

function unknownDownload(id: string): AppError {
  return noSuch('download-unknown', { en: 'download', zh: '下载' }, id, {
    en: 'GET /api/models/downloads lists the downloads since the service started.',
    zh: 'GET /api/models/downloads 列出服务启动以来的所有下载。',
  });
}

function repoIdInvalid(fields: string[]): AppError {
  return new AppError(
    'repo-id-invalid',
    {
      en: 'repo_id is missing or not of the form owner/name.',
      zh: 'repo_id 缺失或格式错误，应为 owner/name',
    },
    {
      hint: {
        en: 'Use the part of the model address after the host, not the whole address.',
        zh: '即模型网址中主机名之后的部分，而非完整网址。',
      },
      fields,
    },
  );
}
