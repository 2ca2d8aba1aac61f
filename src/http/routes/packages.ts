import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { InstalledPackage } from '../../packages/operations/list-installed.ts';
import type { OperationView } from '../../packages/package-operation.ts';
import type { Text } from '../../shared/text.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { sourceAnswer } from '../operation-answer.ts';
import { readPackageFields, refuseFields, sourceMissing } from '../package-fields.ts';
import { checkQuery } from '../query-fields.ts';
import { LaterError } from '../wire/common.ts';
import {
  InstallBody,
  NothingBody,
  OperationStarted,
  PackagesAnswer,
  UninstallAnswer,
  UpdateBody,
} from '../wire/packages.ts';

type OfScript = { Params: { id: string } };

export function addPackageRoutes(app: FastifyInstance, { packages }: AppDependencies): void {
  const errors = { '4xx': LaterError, '5xx': LaterError };
  const started = { 200: OperationStarted, ...errors };

  const listSchema = {
    summary: 'Installed packages',
    description: 'What was installed, where it came from, and whether one can return to an earlier version.',
    response: { 200: PackagesAnswer, ...errors },
  };
  app.get('/api/packages', { schema: listSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    return { items: (await packages.installed()).map(packageItem), next: null };
  });

  const installSchema = {
    summary: 'Install a package',
    description:
      'Begins to install a script. The answer comes at once; how far it is can be asked for, and is told as events. Nothing is left when it fails.',
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
    return startedAnswer(request, operation, { en: 'The installation has begun', zh: '开始安装' });
  });

  const updateSchema = {
    summary: 'Update a package',
    description:
      'Begins to put another version in the place of the one that is installed, which stays until the new one works, and is kept to return to.',
    body: UpdateBody,
    response: started,
  };
  app.post<OfScript>('/api/packages/:id/update', { schema: updateSchema }, async (request) => {
    const { id } = request.params;
    const { source, ref, path, prepare } = readPackageFields(bodyOf(request).fields, UpdateBody);
    const operation = await packages.update(id, { ...(await readSource()), prepare });
    return startedAnswer(request, operation, { en: 'The update has begun', zh: '开始更新' });

    async function readSource() {
      if (source !== null) return { source: packages.parseSource(source, { ref, path }) };
      if (ref === null && path === null) return {};
      // Another branch or folder of where it came from.
      const known = await packages.sourceOf(id);
      const changed = { ref: ref ?? known.ref, path: path ?? known.path };
      return { source: packages.parseSource(known.location, changed) };
    }
  });

  const rollbackSchema = {
    summary: 'Return to the version before',
    description: 'The version that is left is kept, so that the same leads back to it.',
    body: NothingBody,
    response: started,
  };
  app.post<OfScript>('/api/packages/:id/rollback', { schema: rollbackSchema }, async (request) => {
    refuseFields(bodyOf(request).fields);
    const operation = await packages.rollback(request.params.id);
    return startedAnswer(request, operation, { en: 'The rollback has begun', zh: '开始回退' });
  });

  const removeSchema = {
    summary: 'Uninstall a package',
    description: 'Takes effect at once. Runs under way keep their files until they end.',
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
    description:
      'Makes ready what a script needs to run, so that its first run does not have to wait for it.',
    body: NothingBody,
    response: started,
  };
  app.post<OfScript>('/api/scripts/:id/prepare', { schema: prepareSchema }, async (request) => {
    refuseFields(bodyOf(request).fields);
    const operation = await packages.prepareScript(request.params.id);
    return startedAnswer(request, operation, { en: 'The preparation has begun', zh: '开始准备运行环境' });
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
