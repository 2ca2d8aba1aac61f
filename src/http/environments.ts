import type { FastifyInstance } from 'fastify';
import { EnvironmentRemoved, EnvironmentsAnswer } from '../contract/environments.ts';
import type { EnvironmentView } from '../environments/environment.ts';
import type { AppDependencies } from './dependencies.ts';
import { checkQuery, noSuch } from './fields.ts';
import { success } from './request.ts';
import { route } from './route.ts';

export function addEnvironmentRoutes(app: FastifyInstance, { environments }: AppDependencies): void {
  route(app, 'GET /api/environments', {
    operationId: 'listEnvironments',
    tag: 'Packages and environments',
    summary: 'List environments',
    description: 'Lists the environments that Hob has built, and the scripts that use them.',
    answer: EnvironmentsAnswer,
    async handle(request) {
      checkQuery(request.query);
      return { items: (await environments.list()).map(environmentItem), next: null };
    },
  });

  route(app, 'DELETE /api/environments/:key', {
    operationId: 'removeEnvironment',
    tag: 'Packages and environments',
    summary: 'Remove an environment',
    description:
      'Hob builds it again when a script needs it. Refused while the environment is being built or used by a run.',
    answer: EnvironmentRemoved,
    async handle(request) {
      checkQuery(request.query);
      const removed = await environments.remove(request.params.key);
      if (removed === null) throw unknownEnvironment(request.params.key);
      const message = { en: 'The environment was removed', zh: '已删除运行环境' };
      return success(request, message, { key: removed.key, freed_bytes: removed.bytes });
    },
  });
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

function unknownEnvironment(key: string) {
  return noSuch('environment-unknown', { en: 'environment', zh: '运行环境' }, key, {
    en: 'GET /api/environments lists all environments.',
    zh: 'GET /api/environments 列出所有运行环境。',
  });
}
