import type { FastifyInstance } from 'fastify';

import * as schemas from '../contract/packages.ts';
import type { Operation } from '../contract/types.ts';
import type { InstalledPackage } from '../packages/operations/list-installed.ts';
import type { OperationView } from '../packages/operations/operation.ts';
import type { PackageSource } from '../packages/package-source.ts';
import { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';
import { requireSameUser } from './access/same-user.ts';
import type { AppDependencies } from './dependencies.ts';
import { failureAnswer } from './error-answers.ts';
import { checkQuery, invalidField, noSuch, refuseUnknown } from './fields.ts';
import { bodyOf, languageOf, success } from './request.ts';
import { route } from './route.ts';
import { problemAnswer } from './scripts.ts';

export function addPackageRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { packages, slugs } = dependencies;
  route(app, 'GET /api/packages', {
    operationId: 'listPackages',
    tag: 'Packages and environments',
    summary: 'List installed packages',
    description:
      'Lists the installed packages, their sources, and the versions to which a rollback is possible.',
    answer: schemas.PackagesAnswer,
    async handle(request) {
      checkQuery(request.query);
      return { items: (await packages.installed()).map(packageItem), next: null };
    },
  });

  route(app, 'POST /api/packages/install', {
    operationId: 'installPackage',
    tag: 'Packages and environments',
    summary: 'Install a package',
    description:
      'Starts to install a script and responds immediately. The operation and its events report the progress. A failed installation leaves nothing behind.',
    body: schemas.InstallBody,
    examples: {
      folder: {
        summary: 'A folder on this machine',
        body: { source: '/home/ada/packages/resize-images', prepare: false },
      },
    },
    answer: schemas.OperationStarted,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { source, ref, path, prepare } = readPackageFields(bodyOf(request).fields, schemas.InstallBody);
      if (source === null) throw sourceMissing();
      const { id } = await packages.install({
        source: packages.parseSource(source, { ref, path }),
        prepare,
      });
      return success(request, { en: 'Started the installation', zh: '开始安装' }, { operation_id: id });
    },
  });

  route(app, 'POST /api/packages/:id/update', {
    operationId: 'updatePackage',
    tag: 'Packages and environments',
    summary: 'Update a package',
    description:
      'Starts to replace the installed version. The old version stays active until the new one works, and is kept for a rollback.',
    body: schemas.UpdateBody,
    examples: {
      same: { summary: 'The newest version at the same source', body: { prepare: false } },
      other: { summary: 'Another source', body: { source: '/home/ada/packages/resize-images' } },
    },
    answer: schemas.OperationStarted,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { id: scriptId } = request.params;
      const { source, ref, path, prepare } = readPackageFields(bodyOf(request).fields, schemas.UpdateBody);
      const { id } = await packages.update(scriptId, { ...(await readSource()), prepare });
      return success(request, { en: 'Started the update', zh: '开始更新' }, { operation_id: id });

      async function readSource() {
        if (source !== null) return { source: packages.parseSource(source, { ref, path }) };
        if (ref === null && path === null) return {};
        // Only the branch or folder changes; the location stays.
        const known = await packages.sourceOf(scriptId);
        const changed = { ref: ref ?? known.ref, path: path ?? known.path };
        return { source: packages.parseSource(known.location, changed) };
      }
    },
  });

  route(app, 'POST /api/packages/:id/rollback', {
    operationId: 'rollBackPackage',
    tag: 'Packages and environments',
    summary: 'Roll back a package',
    description:
      'Activates the previous version. The current one is kept, so that a second rollback activates it again.',
    body: schemas.NothingBody,
    examples: { plain: { summary: 'No fields', body: {} } },
    answer: schemas.OperationStarted,
    async handle(request) {
      await requireSameUser(request, dependencies);
      refuseUnknown(bodyOf(request).fields, schemas.NothingBody);
      const { id } = await packages.rollback(request.params.id);
      return success(request, { en: 'Started the rollback', zh: '开始回退' }, { operation_id: id });
    },
  });

  route(app, 'DELETE /api/packages/:id', {
    operationId: 'uninstallPackage',
    tag: 'Packages and environments',
    summary: 'Uninstall a package',
    description: 'Takes effect immediately. Running scripts keep their files until they end.',
    answer: schemas.UninstallAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      const { scriptId, name, keptForRuns } = await packages.uninstall(request.params.id);
      const message = { en: `${name} was uninstalled`, zh: `已卸载 ${name}` };
      return success(request, message, { script_id: scriptId, kept_for_runs: keptForRuns });
    },
  });

  route(app, 'POST /api/scripts/:id/prepare', {
    operationId: 'prepareScript',
    tag: 'Scripts',
    summary: 'Prepare a script',
    description: 'Builds the environment of a script, so that its first run does not have to wait.',
    body: schemas.NothingBody,
    examples: { plain: { summary: 'No fields', body: {} } },
    answer: schemas.OperationStarted,
    async handle(request) {
      refuseUnknown(bodyOf(request).fields, schemas.NothingBody);
      const { id } = await packages.prepareScript((await slugs.find(request.params.id)) ?? request.params.id);
      return success(
        request,
        { en: 'Started the preparation', zh: '开始准备运行环境' },
        { operation_id: id },
      );
    },
  });

  route(app, 'GET /api/package-operations', {
    alias: '/api/packages/operations',
    operationId: 'listOperations',
    tag: 'Packages and environments',
    summary: 'List package operations',
    description:
      'Lists the operations in progress and the latest that ended since the service started, newest first.',
    answer: schemas.OperationsAnswer,
    async handle(request) {
      checkQuery(request.query);
      const language = languageOf(request, 'en');
      return { items: packages.list().map((each) => operationAnswer(each, language)), next: null };
    },
  });

  const findOperation = (id: string): OperationView => {
    const operation = packages.find(id);
    if (operation === null) throw unknownOperation(id);
    return operation;
  };
  route(app, 'GET /api/package-operations/:id', {
    alias: '/api/packages/operations/:id',
    operationId: 'getOperation',
    tag: 'Packages and environments',
    summary: 'Get a package operation',
    description: 'Returns the progress or the outcome of an operation.',
    answer: schemas.OperationAnswer,
    handle: async (request) => operationAnswer(findOperation(request.params.id), languageOf(request, 'en')),
  });

  route(app, 'POST /api/package-operations/:id/cancel', {
    alias: '/api/packages/operations/:id/cancel',
    operationId: 'cancelOperation',
    tag: 'Packages and environments',
    summary: 'Stop a package operation',
    description:
      'Removes everything that the operation has created. The version installed before stays. An operation in its last step is completed instead.',
    answer: schemas.OperationCancelled,
    async handle(request) {
      const { id } = findOperation(request.params.id);
      // Cancelling an operation that is already being stopped succeeds, too.
      if (!packages.cancel(id) && findOperation(id).state !== 'running')
        throw new AppError('operation-ended', { en: 'The operation has already ended', zh: '操作已结束' });
      return success(
        request,
        { en: 'The operation is being stopped', zh: '正在停止操作' },
        { operation_id: id },
      );
    },
  });
}

function packageItem(item: InstalledPackage) {
  const { source, commit, previous } = item;
  return {
    script_id: item.scriptId,
    name: item.name,
    version: item.version,
    description: item.description,
    installed_at: item.installedAt,
    source: source === null ? null : { ...sourceAnswer(source), commit },
    previous: previous === null ? null : { version: previous.version, installed_at: previous.installedAt },
    state: item.state,
  };
}

/** The JSON form of a package operation. */
export function operationAnswer(operation: OperationView, language: Language): Operation {
  const { script, source, error } = operation;
  return {
    operation_id: operation.id,
    kind: operation.kind,
    state: operation.state,
    stage: operation.stage,
    script_id: script?.id ?? null,
    script_name: script?.name ?? null,
    version: script?.version ?? null,
    source: source === null ? null : sourceAnswer(source),
    entries_done: operation.entriesDone,
    bytes_done: operation.bytesDone,
    run_id: operation.runId,
    warnings: operation.warnings.map((warning) => warning[language]),
    problems: operation.problems.map((problem) => problemAnswer(problem, language)),
    started_at: operation.startedAt,
    ended_at: operation.endedAt,
    error: failureAnswer(error, language),
  };
}

function sourceAnswer({ kind, location, ref, path }: PackageSource) {
  return { kind, location, ref, path };
}

/** The fields of a package request; null: not given. */
interface PackageFields {
  readonly source: string | null;
  readonly ref: string | null;
  readonly path: string | null;
  readonly prepare: boolean;
}

/** Reads the fields of a package request. Refuses unknown names, because they may be typing errors. */
export function readPackageFields(fields: JsonObject, known: { properties: object }): PackageFields {
  refuseUnknown(fields, known);
  return {
    source: readText(fields, 'source'),
    ref: readText(fields, 'ref'),
    path: readText(fields, 'path'),
    prepare: readPrepare(fields),
  };
}

function sourceMissing(): AppError {
  return invalidField(
    'source',
    'the absolute path of a folder, .zip or .tar.gz, or the address of a git repository',
    '文件夹、.zip 或 .tar.gz 的绝对路径，或 git 仓库地址',
  );
}

function readText(fields: JsonObject, name: 'source' | 'ref' | 'path'): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  const isText = typeof value === 'string' && value !== '' && value.length <= schemas.mostSourceCharacters;
  // Paths, addresses and branch names contain no control characters or lone surrogates, and such text cannot be passed to git.
  if (!isText || /[\p{Cc}\p{Cs}]/u.test(value))
    throw invalidField(
      name,
      `a string of 1 to ${schemas.mostSourceCharacters} characters without control characters`,
      ` 1 到 ${schemas.mostSourceCharacters} 个字符的文本，不含控制字符`,
    );
  return value;
}

function readPrepare({ prepare }: JsonObject): boolean {
  if (prepare === undefined || prepare === null) return true;
  if (typeof prepare !== 'boolean') throw invalidField('prepare', 'true or false', ' true 或 false');
  return prepare;
}

function unknownOperation(id: string): AppError {
  return noSuch('operation-unknown', { en: 'operation', zh: '操作' }, id, {
    en: 'GET /api/package-operations lists the latest operations since the service started.',
    zh: 'GET /api/package-operations 列出服务启动以来最近的操作。',
  });
}
