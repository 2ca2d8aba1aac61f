import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { resolveReferences } from '../../src/contract/references.ts';
import { type Hob, projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { operationEnded } from '../support/packages.ts';
import { openTerminalRun } from '../support/page-terminal.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { fileThere } from '../support/until.ts';

interface Media {
  schema: Record<string, unknown>;
  examples?: Record<string, { summary: string; value: Record<string, unknown> }>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  servers?: { url: string }[];
  parameters: { name: string; description?: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media>; headers?: Record<string, unknown> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
  servers: { variables: { port: { default: string } } }[];
  components: { schemas: Record<string, unknown> };
}

const written: Document = JSON.parse(await readFile(join(projectRoot, 'schema', 'openapi.json'), 'utf8'));
const operations = Object.entries(written.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation,
  })),
);
const mediaOf = ({ requestBody, responses }: Operation): [string, Media][] =>
  [requestBody, ...Object.values(responses)].flatMap((each) => Object.entries(each?.content ?? {}));

describe('the document', () => {
  it('names every operation once, and puts it into one of its groups', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    const groups = written.tags.map(({ name }) => name);
    expect(operations.filter(({ operation }) => !groups.includes(String(operation.tags)))).toEqual([]);
    expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(groups));
  });

  it('describes every operation in words', () => {
    const isSentence = (text: string) => /^[A-Z`].+\.$/.test(text);
    expect(operations.filter(({ operation }) => !isSentence(operation.description))).toEqual([]);
    expect(operations.filter(({ operation }) => !/^[A-Z].+[^.]$/.test(operation.summary))).toEqual([]);
  });

  it('describes every parameter, and the headers of a started run', () => {
    const undescribed = operations.flatMap(({ name, operation }) =>
      operation.parameters
        .filter(({ description = '' }) => description === '')
        .map((each) => [name, each.name]),
    );
    expect(undescribed).toEqual([]);
    const started = written.paths['/api/scripts/{id}/runs']?.post?.responses['201'];
    expect(Object.keys(started?.headers ?? {}).sort()).toEqual([
      'Idempotency-Replayed',
      'Location',
      'X-Hob-Run-Id',
    ]);
  });

  it('has a named schema for every JSON body and answer', () => {
    const isNamed = (schema: Record<string, unknown>): boolean =>
      '$ref' in schema || (Array.isArray(schema.anyOf) && schema.anyOf.every(isNamed));
    const unnamed = operations.filter(({ operation }) =>
      mediaOf(operation).some(([type, { schema }]) => type === 'application/json' && !isNamed(schema)),
    );
    expect(unnamed.map(({ name }) => name)).toEqual([]);
    expect(Object.keys(written.components.schemas)).toEqual(
      expect.arrayContaining(['Run', 'Script', 'Problem', 'ExecutionResult', 'Accepted', 'ApiError']),
    );
  });

  it('gives the address of a run for the operations that scripts call', () => {
    const ofRuns = operations.filter(({ operation }) =>
      operation.servers?.some(({ url }) => url.endsWith('/r/{run_token}')),
    );
    expect(ofRuns.map(({ path }) => path).sort()).toEqual([
      '/api/execute',
      '/api/link',
      '/api/model/path',
      '/api/notify',
      '/api/progress',
    ]);
  });
});

it('a service answers every example as the document says', async () => {
  const ada = await tempFolder();
  const hob = await startExampleService(ada);
  const { body } = await hob.get('/api/openapi.json');
  const document: Document = JSON.parse(JSON.stringify(resolveReferences(body)));
  expect(document.servers[0]?.variables.port.default).toBe(new URL(hob.url).port);

  const { headers } = await hob.run(exampleScript);
  const ended = String(headers.get('x-hob-run-id'));
  const terminal = await openTerminalRun(hob, anchorScript);
  await fileThere(join(ada, 'address'));
  const runPrefix = new URL((await readFile(join(ada, 'address'), 'utf8')).trim()).pathname;
  const targetOf = (path: string): string => {
    if (path === '/api/progress') return runPrefix + path;
    if (path.includes('/terminal/')) return path.replace('{id}', terminal);
    if (path.startsWith('/api/runs/')) return path.replace('{id}', ended);
    if (path.startsWith('/api/secrets/')) return path.replace('{name}', 'github-hook');
    if (path.startsWith('/api/triggers/')) return path.replace('{id}', 'nightly');
    if (path.startsWith('/api/packages/')) return path.replace('{id}', examplePackage);
    return path.replace('{id}', exampleScript);
  };

  const statuses: Record<string, number> = {};
  const send = async (method: string, path: string, name: string, value: unknown, operation: Operation) => {
    const text = JSON.stringify(value).replaceAll('/home/ada', ada);
    const answer = await hob.send(method, targetOf(path), text);
    statuses[`${operation.operationId} ${name}`] = answer.status;
    const { content } = operation.responses[answer.status] ?? operation.responses['4XX'] ?? {};
    expect([path, ...Value.Errors(content?.['application/json']?.schema ?? false, answer.body)]).toEqual([
      path,
    ]);
    if (typeof answer.body.operation_id === 'string') await operationEnded(hob, answer.body.operation_id);
    // An update to the same files would leave nothing to roll back to.
    if (operation.operationId === 'installPackage')
      await writeFile(join(ada, 'packages', 'resize-images', 'new.txt'), '');
  };
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    // A trigger must exist before its other operations can succeed.
    (['put', 'post', 'patch'] as const).flatMap((method) => {
      const operation = methods[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  const stopLast = entries.toSorted(
    (a, b) => Number(a.path === '/api/stop') - Number(b.path === '/api/stop'),
  );
  for (const { path, method, operation } of stopLast) {
    const examples = Object.entries(operation.requestBody?.content['application/json']?.examples ?? {});
    // The service accepts only one request to stop.
    for (const [name, { value }] of path === '/api/stop' ? examples.slice(-1) : examples)
      await send(method.toUpperCase(), path, name, value, operation);
  }
  const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined);
  expect(new Set(Object.keys(statuses).map((name) => name.split(' ')[0]))).toEqual(
    new Set(withBody.map(({ operation }) => operation.operationId)),
  );
  // This machine has no desktop that could open a folder.
  const {
    'openFolder folder': opened,
    'startRun wait': started,
    'answerAgentQuestion allow': answered,
    ...others
  } = statuses;
  // No agent asks.
  expect([opened, started, answered]).toEqual([409, 201, 404]);
  expect(Object.entries(others).filter(([, status]) => status !== 200)).toEqual([]);
});

/** The ids that the examples use. */
const exampleScript = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
const examplePackage = '7d3b1f0a-52c4-4e7b-a1c8-0b5a6e2d9f34';
const anchorScript = 'b41c8a6e-0d57-4a5e-8f5d-9a1f3c7e2d10';

/** A service with everything that the examples name. The folder replaces the home of their user. */
async function startExampleService(ada: string): Promise<Hob> {
  const [scripts, cache] = [await tempFolder(), await tempFolder()];
  await mkdir(join(ada, 'pictures'));
  await writeFile(join(ada, 'pictures', 'cat.png'), '');
  await writeScript(join(ada, 'packages'), 'resize-images', { id: examplePackage });
  await writeScript(scripts, 'resize-images', {
    id: exampleScript,
    node: true,
    tables: '[[service.inputs]]\nname = "images"\n[[service.params]]\nname = "quality"\ntype = "int"\n',
  });
  const address = join(ada, 'address');
  await writeScript(scripts, 'anchor', {
    id: anchorScript,
    entry: bash(
      `trap '' INT; sed -n 's/.*"api_base": "\\(.*\\)",*/\\1/p' "$1" > "${address}.new"; mv "${address}.new" "${address}"; exec sleep 600`,
    ),
  });
  return startHob({
    scripts: [scripts],
    settings: 'on_stop = "stop"\nstop_grace_s = 1\n',
    // No hub answers here, so that the test needs no network.
    env: {
      HF_HUB_CACHE: cache,
      MODELSCOPE_CACHE: cache,
      HF_ENDPOINT: 'http://127.0.0.1:9',
      MODELSCOPE_ENDPOINT: 'http://127.0.0.1:9',
    },
  });
}
