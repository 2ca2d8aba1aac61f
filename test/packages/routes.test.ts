import { describe, expect, it } from 'vitest';

import type { EnvironmentView } from '../../src/environments/environment.ts';
import { AppError } from '../../src/shared/errors.ts';
import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { endOf, type Hooks, packagesHere, samplePackage, writeSample } from '../support/packages-here.ts';

/** The application with packages in a separate folder. */
async function open({
  hooks = {},
  environments = [],
}: {
  hooks?: Hooks;
  environments?: EnvironmentView[];
} = {}) {
  const { packages, catalogue } = await packagesHere({ hooks });
  const { app } = await appInProcess({
    packages,
    environments: {
      list: async () => environments,
      remove: async (key) => {
        const found = environments.find((each) => each.key === key) ?? null;
        if (found?.state === 'building')
          throw new AppError('environment-in-use', { en: 'It is being built', zh: '正在构建' });
        return found;
      },
    },
  });
  const { url } = await openGuarded(app);
  const ask = async (method: string, path: string, body?: unknown, language = 'en') => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        'accept-language': language,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const seen: Record<string, unknown> = JSON.parse(await answer.text());
    return { status: answer.status, code: answer.headers.get('x-hob-error'), body: seen };
  };
  /** Requests an operation and waits for its end. */
  const carryOut = async (path: string, body: unknown = {}) => {
    const { body: begun } = await ask('POST', path, body);
    await endOf(packages, { id: String(begun.operation_id) });
    return (await ask('GET', `/packages/operations/${begun.operation_id}`)).body;
  };
  return { packages, catalogue, ask, carryOut };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

describe('POST /api/packages/install', () => {
  it('returns immediately, and its operation reports the progress', async () => {
    const { packages, ask } = await open();
    const { id, source } = await samplePackage();
    const begun = await ask('POST', '/packages/install', { source: source.location, prepare: false }, 'zh');
    const operation_id = packages.list()[0]?.id;
    expect(begun).toEqual({
      status: 200,
      code: null,
      body: { status: 'success', message: '开始安装', operation_id },
    });
    await endOf(packages, { id: String(operation_id) });
    const shown = {
      operation_id,
      kind: 'install',
      state: 'done',
      stage: null,
      script_id: id,
      script_name: 'Sample',
      version: '1.0.0',
      source: { ...source },
      entries_done: 2,
      bytes_done: 20,
      run_id: null,
      warnings: [],
      problems: [],
      started_at: time,
      ended_at: time,
      error: null,
    };
    expect((await ask('GET', `/packages/operations/${operation_id}`)).body).toEqual(shown);
    expect((await ask('GET', '/packages/operations')).body).toEqual({ items: [shown], next: null });
    expect((await ask('GET', '/packages')).body).toEqual({
      items: [
        {
          script_id: id,
          name: 'Sample',
          version: '1.0.0',
          description: null,
          installed_at: time,
          source: { ...source, commit: null },
          previous: null,
          state: 'ready',
        },
      ],
      next: null,
    });
  });

  it('reports in the language of the caller why it failed, and the problems of the package', async () => {
    const { ask, carryOut } = await open();
    const { source } = await samplePackage({ isBroken: true });
    const { operation_id } = await carryOut('/packages/install', { source: source.location });
    const { body } = await ask('GET', `/packages/operations/${operation_id}`, undefined, 'zh');
    expect(body).toMatchObject({
      state: 'failed',
      error: {
        code: 'package-broken',
        message: expect.stringContaining('无法安装'),
        hint: expect.any(String),
      },
      problems: [
        {
          severity: 'error',
          file: 'script.toml',
          line: 9,
          message: expect.stringMatching(/\p{Script=Han}/u),
        },
      ],
    });
  });

  it('refuses invalid requests, and starts nothing', async () => {
    const { packages, ask } = await open();
    const relative = await ask('POST', '/packages/install', { source: 'somewhere/else' });
    expect(relative).toMatchObject({ status: 400, code: 'package-source-invalid' });
    const missing = await ask('POST', '/packages/install', {}, 'zh');
    expect(missing).toMatchObject({ status: 400, code: 'field-invalid' });
    expect(missing.body.message).toContain('source 应为');
    expect(await ask('POST', '/packages/install', { source: '/a', perpare: false })).toMatchObject({
      status: 400,
      code: 'field-invalid',
    });
    expect(await ask('GET', '/packages?state=broken')).toMatchObject({ status: 400, code: 'field-invalid' });
    expect(packages.list()).toEqual([]);
  });
});

describe('an installed package', () => {
  it('is updated, rolled back and uninstalled', async () => {
    const { ask, carryOut } = await open();
    const { id, source } = await samplePackage();
    await carryOut('/packages/install', { source: source.location });
    expect(await ask('POST', `/packages/${id}/rollback`, {})).toMatchObject({
      status: 409,
      code: 'package-no-previous',
    });
    await writeSample(source.location, { id, version: '2.0.0' });
    const updated = await carryOut(`/packages/${id}/update`);
    expect(updated).toMatchObject({ kind: 'update', state: 'done', version: '2.0.0', source: { ...source } });
    expect((await ask('GET', '/packages')).body.items).toEqual([
      expect.objectContaining({ version: '2.0.0', previous: { version: '1.0.0', installed_at: time } }),
    ]);
    expect(await carryOut(`/packages/${id}/rollback`)).toMatchObject({
      kind: 'rollback',
      state: 'done',
      version: '1.0.0',
    });
    const removed = await ask('DELETE', `/packages/${id}`);
    expect(removed).toEqual({
      status: 200,
      code: null,
      body: { status: 'success', message: 'Sample was uninstalled', script_id: id, kept_for_runs: false },
    });
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/update'],
      ['POST', '/rollback'],
    ] as const)
      expect(await ask(method, `/packages/${id}${path}`)).toMatchObject({
        status: 404,
        code: 'package-not-installed',
      });
  });

  it('is fetched from another branch or folder of its source if only that is given', async () => {
    const { packages, ask, carryOut } = await open();
    const { id, source } = await samplePackage();
    await carryOut('/packages/install', { source: source.location, ref: 'main', path: 'a' });
    await carryOut(`/packages/${id}/update`, { ref: 'next' });
    expect(await packages.sourceOf(id)).toEqual({ ...source, ref: 'next', path: 'a' });
    await carryOut(`/packages/${id}/update`, { source: source.location });
    expect(await packages.sourceOf(id)).toEqual(source);
    expect(await ask('POST', `/packages/${id}/rollback`, { prepare: false })).toMatchObject({
      code: 'field-invalid',
    });
    expect(await ask('POST', '/packages/nope/update', { ref: 'next' })).toMatchObject({
      code: 'package-not-installed',
    });
  });
});

describe('POST /api/scripts/<id>/prepare', () => {
  it('prepares a script, one operation at a time', async () => {
    const { packages, ask, carryOut } = await open({ hooks: { prepare: () => new Promise(() => {}) } });
    const { id, source } = await samplePackage();
    await carryOut('/packages/install', { source: source.location, prepare: false });
    const begun = await ask('POST', `/scripts/${id}/prepare`, {});
    expect(begun).toMatchObject({ status: 200, body: { message: 'Started the preparation' } });
    expect(await ask('POST', `/scripts/${id}/prepare`)).toMatchObject({ status: 409, code: 'package-busy' });
    expect(await ask('DELETE', `/packages/${id}`)).toMatchObject({ status: 409, code: 'package-busy' });
    const cancel = `/packages/operations/${begun.body.operation_id}/cancel`;
    expect((await ask('POST', cancel, {})).body).toEqual({
      status: 'success',
      message: 'The operation is being stopped',
      operation_id: begun.body.operation_id,
    });
    await endOf(packages, { id: String(begun.body.operation_id) });
    expect(await ask('POST', cancel)).toMatchObject({ status: 409, code: 'operation-ended' });
    expect(await ask('POST', '/scripts/nope/prepare')).toMatchObject({ status: 404, code: 'script-unknown' });
  });

  it('finds no other operations', async () => {
    const { ask } = await open();
    for (const [method, path] of [
      ['GET', '/packages/operations/nope'],
      ['POST', '/packages/operations/nope/cancel'],
    ] as const)
      expect(await ask(method, path)).toMatchObject({ status: 404, code: 'operation-unknown' });
  });
});

describe('/api/environments', () => {
  const environment: EnvironmentView = {
    key: 'python-1',
    kind: 'python',
    state: 'ready',
    bytes: 1234,
    madeAt: '2026-05-01T12:00:00.000Z',
    usedAt: null,
    madeWith: 'Python 3.11.7, pip',
    requirements: ['six==1.16'],
    scripts: [{ id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', name: 'Sample' }],
  };

  it('lists them, and removes unused ones', async () => {
    const building = { ...environment, key: 'python-2', state: 'building' as const };
    const { ask } = await open({ environments: [environment, building] });
    const { body } = await ask('GET', '/environments');
    expect(body).toEqual({
      items: [
        {
          key: 'python-1',
          kind: 'python',
          state: 'ready',
          bytes: 1234,
          made_at: '2026-05-01T12:00:00.000Z',
          used_at: null,
          made_with: 'Python 3.11.7, pip',
          requirements: ['six==1.16'],
          scripts: [{ script_id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', name: 'Sample' }],
        },
        expect.objectContaining({ key: 'python-2', state: 'building' }),
      ],
      next: null,
    });
    expect(await ask('DELETE', '/environments/python-1', undefined, 'zh')).toEqual({
      status: 200,
      code: null,
      body: { status: 'success', message: '已删除运行环境', key: 'python-1', freed_bytes: 1234 },
    });
    expect(await ask('DELETE', '/environments/python-2')).toMatchObject({
      status: 409,
      code: 'environment-in-use',
    });
    expect(await ask('DELETE', '/environments/python-3')).toMatchObject({
      status: 404,
      code: 'environment-unknown',
    });
  });
});
