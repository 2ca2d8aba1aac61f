import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { EnvironmentRemoved, EnvironmentsAnswer } from '../../contract/environments.ts';
import type { EnvironmentView } from '../../environments/environment.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { checkQuery } from '../query-fields.ts';

export function addEnvironmentRoutes(app: FastifyInstance, { environments }: AppDependencies): void {
  const errors = { '4xx': LaterError, '5xx': LaterError };
  const listSchema = {
    summary: 'List environments',
    description: 'Lists the environments that Hob has built, and the scripts that use them.',
    response: { 200: EnvironmentsAnswer, ...errors },
  };
  app.get('/api/environments', { schema: listSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    return { items: (await environments.list()).map(environmentItem), next: null };
  });

  const removeSchema = {
    summary: 'Remove an environment',
    description:
      'Hob builds it again when a script needs it. Refused while the environment is being built or used by a run.',
    response: { 200: EnvironmentRemoved, ...errors },
  };
  app.delete<{ Params: { key: string } }>(
    '/api/environments/:key',
    { schema: removeSchema },
    async (request) => {
      checkQuery(request.query, { properties: {} });
      const removed = await environments.remove(request.params.key);
      if (removed === null) throw unknownEnvironment(request.params.key);
      const message = { en: 'The environment was removed', zh: '已删除运行环境' };
      return {
        status: 'success',
        message: message[languageOf(request, 'en')],
        key: removed.key,
        freed_bytes: removed.bytes,
      };
    },
  );
}

function environmentItem(environment: EnvironmentView) {
  return {
    key: environment.key,
    kind: environment.kind,
    state: environment.state,
    bytes: environment.bytes,
    made_at: environment.madeAt,
    used_at: environment.usedAt,
    made_with: environment.madeWith,
    requirements: [...environment.requirements],
    scripts: environment.scripts.map(({ id, name }) => ({ script_id: id, name })),
  };
}

function unknownEnvironment(key: string): AppError {
  const given = key.slice(0, 100);
  return new AppError(
    'environment-unknown',
    { en: `No such environment: ${given}`, zh: `运行环境不存在: ${given}` },
    {
      hint: {
        en: 'GET /api/environments lists all environments.',
        zh: 'GET /api/environments 列出所有运行环境。',
      },
    },
  );
}
