import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { OperationAnswer, OperationCancelled, OperationsAnswer } from '../../contract/packages.ts';
import type { OperationView } from '../../packages/package-operation.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { operationAnswer } from '../operation-answer.ts';
import { checkQuery } from '../query-fields.ts';

type OfOperation = { Params: { id: string } };

export function addPackageOperationRoutes(app: FastifyInstance, { packages }: AppDependencies): void {
  const errors = { '4xx': LaterError, '5xx': LaterError };
  const listSchema = {
    summary: 'List package operations',
    description:
      'Lists the operations in progress and the latest that ended since the service started, newest first.',
    response: { 200: OperationsAnswer, ...errors },
  };
  app.get('/api/packages/operations', { schema: listSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    const language = languageOf(request, 'en');
    return { items: packages.list().map((each) => operationAnswer(each, language)), next: null };
  });

  const find = (id: string): OperationView => {
    const operation = packages.find(id);
    if (operation === null) throw unknownOperation(id);
    return operation;
  };
  const showSchema = { summary: 'Get a package operation', response: { 200: OperationAnswer, ...errors } };
  app.get<OfOperation>('/api/packages/operations/:id', { schema: showSchema }, async (request) =>
    operationAnswer(find(request.params.id), languageOf(request, 'en')),
  );

  const cancelSchema = {
    summary: 'Stop a package operation',
    description:
      'Removes everything that the operation has created. The version installed before stays. An operation in its last step is completed instead.',
    response: { 200: OperationCancelled, ...errors },
  };
  app.post<OfOperation>('/api/packages/operations/:id/cancel', { schema: cancelSchema }, async (request) => {
    const { id } = find(request.params.id);
    // Cancelling an operation that is already being stopped succeeds, too.
    if (!packages.cancel(id) && find(id).state !== 'running') throw endedAlready();
    const message = { en: 'The operation is being stopped', zh: '正在停止操作' };
    return { status: 'success', message: message[languageOf(request, 'en')], operation_id: id };
  });
}

function unknownOperation(id: string): AppError {
  const given = id.slice(0, 100);
  return new AppError(
    'operation-unknown',
    { en: `No such operation: ${given}`, zh: `操作不存在: ${given}` },
    {
      hint: {
        en: 'GET /api/packages/operations lists the latest operations since the service started.',
        zh: 'GET /api/packages/operations 列出服务启动以来最近的操作。',
      },
    },
  );
}

function endedAlready(): AppError {
  return new AppError('operation-ended', { en: 'The operation has already ended', zh: '操作已结束' });
}
