import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import { ModelPathAnswer, ModelPathError, ModelPathQuery } from '../../contract/operations.ts';
import { parseRepoId } from '../../models/repo-id.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { repoIdInvalid } from '../repo-id-invalid.ts';

export function addModelPathRoute(app: FastifyInstance, { models }: AppDependencies): void {
  const schema = {
    summary: 'Get the folder of a model',
    description: 'Returns the folder of a downloaded model.',
    querystring: ModelPathQuery,
    response: { 200: ModelPathAnswer, '4xx': ModelPathError, '5xx': ModelPathError },
  };
  app.get('/api/model/path', { schema }, async (request) => {
    const { query } = request;
    // A missing, repeated or malformed id is refused below.
    const repoId = Value.Check(ModelPathQuery, query) ? query.repo_id : '';
    const repo = parseRepoId(repoId);
    if (repo === null) throw repoIdInvalid();
    const path = await models.folderOf(repo);
    if (path === null) {
      throw new AppError('model-not-downloaded', {
        en: `The model ${repoId} is not downloaded.`,
        zh: `模型 ${repoId} 未下载`,
      });
    }
    const language = languageOf(request, 'zh');
    const message = { en: `Got the path of the model ${repoId}.`, zh: `获取模型 ${repoId} 路径成功` }[
      language
    ];
    return { code: 200, data: { path, repo_id: repoId }, message, success: true };
  });
}
