import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import {
  DownloadAnswer,
  DownloadBody,
  DownloadCancelled,
  DownloadStarted,
  DownloadsAnswer,
} from '../../contract/model-downloads.ts';
import type { DownloadView } from '../../models/downloads/download.ts';
import { formatRepoId } from '../../models/repo-id.ts';
import { AppError } from '../../shared/errors.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { downloadAnswer } from '../download-answer.ts';
import { readDownloadFields } from '../download-fields.ts';
import { languageOf } from '../language.ts';
import { checkQuery } from '../query-fields.ts';

export function addModelDownloadRoutes(
  app: FastifyInstance,
  { downloads, modelNeeds }: AppDependencies,
): void {
  const errors = { '4xx': LaterError, '5xx': LaterError };
  const startSchema = {
    summary: 'Download a model',
    description: 'Starts the download of a model, or joins the one in progress. Responds immediately.',
    body: DownloadBody,
    response: { 200: DownloadStarted, ...errors },
  };
  app.post('/api/models/download', { schema: startSchema }, async (request) => {
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
    return {
      status: 'success',
      message: message[languageOf(request, 'en')],
      download_id: download.id,
      is_joined: isJoined,
    };
  });

  const listSchema = {
    summary: 'List downloads',
    description:
      'Lists the downloads in progress and the latest that ended since the service started, newest first.',
    response: { 200: DownloadsAnswer, ...errors },
  };
  app.get('/api/models/downloads', { schema: listSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    const language = languageOf(request, 'en');
    return { items: downloads.list().map((each) => downloadAnswer(each, language)), next: null };
  });

  const find = (id: string): DownloadView => {
    const download = downloads.find(id);
    if (download === null) throw unknownDownload(id);
    return download;
  };
  const showSchema = {
    summary: 'Get a download',
    response: { 200: DownloadAnswer, ...errors },
  };
  app.get<{ Params: { id: string } }>('/api/models/downloads/:id', { schema: showSchema }, async (request) =>
    downloadAnswer(find(request.params.id), languageOf(request, 'en')),
  );

  const cancelSchema = {
    summary: 'Stop a download',
    description:
      'Stops the download for all callers that wait for it. Hob keeps the received data, and the next download of the model resumes from there.',
    response: { 200: DownloadCancelled, ...errors },
  };
  app.post<{ Params: { id: string } }>(
    '/api/models/downloads/:id/cancel',
    { schema: cancelSchema },
    async (request) => {
      const { id } = find(request.params.id);
      // Cancelling a download that is already being stopped succeeds, too.
      if (!downloads.cancel(id) && find(id).state !== 'running') throw endedAlready();
      const message = { en: 'The download is being stopped', zh: '正在停止下载' };
      return { status: 'success', message: message[languageOf(request, 'en')], download_id: id };
    },
  );
}

function unknownDownload(id: string): AppError {
  const given = id.slice(0, 100);
  return new AppError(
    'download-unknown',
    { en: `No such download: ${given}`, zh: `下载不存在: ${given}` },
    {
      hint: {
        en: 'GET /api/models/downloads lists the downloads since the service started.',
        zh: 'GET /api/models/downloads 列出服务启动以来的所有下载。',
      },
    },
  );
}

function endedAlready(): AppError {
  return new AppError('download-ended', { en: 'The download has already ended', zh: '下载已结束' });
}
