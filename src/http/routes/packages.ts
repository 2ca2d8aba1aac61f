import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import {
  InstallBody,
  NothingBody,
  OperationStarted,
  PackagesAnswer,
  UninstallAnswer,
  UpdateBody,
} from '../../contract/packages.ts';
import type { InstalledPackage } from '../../packages/operations/list-installed.ts';
import type { OperationView } from '../../packages/package-operation.ts';
import type { Text } from '../../shared/text.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { sourceAnswer } from '../operation-answer.ts';
import { readPackageFields, refuseFields, sourceMissing } from '../package-fields.ts';
import { checkQuery } from '../query-fields.ts';

type OfScript = { Params: { id: string } };

export function addPackageRoutes(app: FastifyInstance, { packages }: AppDependencies): void {
  const errors = { '4xx': LaterError, '5xx': LaterError };
  const started = { 200: OperationStarted, ...errors };

  const listSchema = {
    summary: 'List installed packages',
    description:
      'Lists the installed packages, their sources, and the versions to which a rollback is possible.',
    response: { 200: PackagesAnswer, ...errors },
  };
  app.get('/api/packages', { schema: listSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    return { items: (await packages.installed()).map(packageItem), next: null };
  });

  const installSchema = {
    summary: 'Install a package',
    description:
      'Starts to install a script and responds immediately. The operation and its events report the progress. A failed installation leaves nothing behind.',
    body: InstallBody,
    response: started,
  };
  app.post('/api/packages/install', { schema: installSchema }, async (request) => {
    const { source, ref, path, prepare } = readPackageFields(bodyOf(request).fields, InstallBody);
    if (source === null) throw sourceMissing();
    const operation = await packages.install({
      source: packages.parseSource(source, { ref, path }),
      prepare,
    });
    return startedAnswer(request, operation, { en: 'Started the installation', zh: '开始安装' });
  });

  const updateSchema = {
    summary: 'Update a package',
    description:
      'Starts to replace the installed version. The old version stays active until the new one works, and is kept for a rollback.',
    body: UpdateBody,
    response: started,
  };
  app.post<OfScript>('/api/packages/:id/update', { schema: updateSchema }, async (request) => {
    const { id } = request.params;
    const { source, ref, path, prepare } = readPackageFields(bodyOf(request).fields, UpdateBody);
    const operation = await packages.update(id, { ...(await readSource()), prepare });
    return startedAnswer(request, operation, { en: 'Started the update', zh: '开始更新' });

    async function readSource() {
      if (source !== null) return { source: packages.parseSource(source, { ref, path }) };
      if (ref === null && path === null) return {};
      // Only the branch or folder changes; the location stays.
      const known = await packages.sourceOf(id);
      const changed = { ref: ref ?? known.ref, path: path ?? known.path };
      return { source: packages.parseSource(known.location, changed) };
    }
  });

  const rollbackSchema = {
    summary: 'Roll back a package',
    description:
      'Activates the previous version. The current one is kept, so that a second rollback activates it again.',
    body: NothingBody,
    response: started,
  };
  app.post<OfScript>('/api/packages/:id/rollback', { schema: rollbackSchema }, async (request) => {
    refuseFields(bodyOf(request).fields);
    const operation = await packages.rollback(request.params.id);
    return startedAnswer(request, operation, { en: 'Started the rollback', zh: '开始回退' });
  });

  const removeSchema = {
    summary: 'Uninstall a package',
    description: 'Takes effect immediately. Running scripts keep their files until they end.',
    response: { 200: UninstallAnswer, ...errors },
  };
  app.delete<OfScript>('/api/packages/:id', { schema: removeSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    const { scriptId, name, keptForRuns } = await packages.uninstall(request.params.id);
    const message = { en: `${name} was uninstalled`, zh: `已卸载 ${name}` };
    return {
      status: 'success',
      message: message[languageOf(request, 'en')],
      script_id: scriptId,
      kept_for_runs: keptForRuns,
    };
  });

  const prepareSchema = {
    summary: 'Prepare a script',
    description: 'Builds the environment of a script, so that its first run does not have to wait.',
    body: NothingBody,
    response: started,
  };
  app.post<OfScript>('/api/scripts/:id/prepare', { schema: prepareSchema }, async (request) => {
    refuseFields(bodyOf(request).fields);
    const operation = await packages.prepareScript(request.params.id);
    return startedAnswer(request, operation, { en: 'Started the preparation', zh: '开始准备运行环境' });
  });
}

function startedAnswer(request: FastifyRequest, { id }: OperationView, message: Text) {
  return { status: 'success', message: message[languageOf(request, 'en')], operation_id: id };
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
