import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import { announceService } from '../../src/shared/service-file.ts';
import { tempFolder } from './hob.ts';
import { until } from './until.ts';

type Fields = Record<string, unknown>;

/** A fake service that answers the package requests of a command. Tests set its packages and the progress of operations. */
export interface PackageService {
  readonly home: string;
  readonly url: string;
  readonly packages: Fields[];
  readonly environments: Fields[];
  /** Method, path and body of all requests except GET. */
  readonly asked: [string, Fields][];
  /** The id of the n-th operation. */
  begun(count: number): Promise<string>;
  step(id: string, change: Fields): void;
  /** Writes to the log of the run that prepares the package. */
  write(stream: 'stdout' | 'stderr', text: string): void;
  endLog(): void;
  stop(): void;
}

export async function startPackageService(): Promise<PackageService> {
  const operations = new Map<string, Fields>();
  const logs = { stdout: '', stderr: '' };
  const readers = new Map<'stdout' | 'stderr', ServerResponse>();
  let isLogEnded = false;
  const state = { packages: [] as Fields[], environments: [] as Fields[], asked: [] as [string, Fields][] };

  const begin = (kind: string, change: Fields = {}) => {
    const id = `00000000-0000-4000-8000-00000000000${operations.size + 1}`;
    operations.set(id, { ...blank, operation_id: id, kind, ...change });
    return { status: 'success', message: 'begun', operation_id: id };
  };
  const answer = (method: string, path: string): Fields | [number, string, string] => {
    const [, , room, id, verb] = path.split('/');
    const item = state.packages.find(({ script_id }) => script_id === id);
    if (method === 'GET' && path === '/api/packages') return { items: state.packages, next: null };
    if (path === '/api/packages/install') return begin('install');
    if (room === 'packages' && id === 'operations') {
      const operation = operations.get(verb ?? '');
      if (operation === undefined) return [404, 'operation-unknown', 'There is no such operation.'];
      if (method === 'GET') return operation;
      Object.assign(operation, { state: 'cancelled', stage: null, ended_at: '2026-05-01T12:01:15.000Z' });
      return { status: 'success', message: 'stopped', operation_id: verb };
    }
    if (path === '/api/scripts')
      return {
        scripts: state.packages.map((each) => ({
          id: each.script_id,
          name: each.name,
          folder: '/scripts/one',
        })),
        problems: [],
      };
    if (room === 'scripts' && verb === 'prepare') return begin('prepare', { script_id: id });
    if (room === 'scripts')
      return {
        id,
        slug: 'tu-pian-fang-da',
        name: '图片放大 🖼',
        input: { name: 'images', pick: null },
        params: [],
      };
    if (room === 'environments' && method === 'GET') return { items: state.environments, next: null };
    if (room === 'environments')
      return { status: 'success', message: 'gone', key: id, freed_bytes: 1_500_000 };
    if (item === undefined) return [404, 'package-not-installed', 'It is not installed.'];
    if (method === 'DELETE')
      return { status: 'success', message: 'gone', script_id: id, kept_for_runs: true };
    return begin(verb ?? '', { script_id: id, script_name: item.name });
  };

  const server = createServer(async (request, response) => {
    const { method = '', url: target = '' } = request;
    const path = decodeURIComponent(new URL(target, 'http://hob').pathname);
    const stream = /\/(stdout|stderr)$/.exec(path)?.[1];
    if (stream === 'stdout' || stream === 'stderr') {
      response.write(logs[stream]);
      if (isLogEnded) response.end();
      else readers.set(stream, response);
      return;
    }
    const text = (await request.toArray()).join('');
    if (method !== 'GET') state.asked.push([`${method} ${path}`, text === '' ? {} : JSON.parse(text)]);
    const said = answer(method, path);
    const [status, code, message] = Array.isArray(said) ? said : [200, '', ''];
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(code !== '' && { 'x-hob-error': code }),
    });
    response.end(JSON.stringify(Array.isArray(said) ? { status: 'error', code, message, hint: '' } : said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const { port }: AddressInfo = Object(server.address());
  const url = `http://127.0.0.1:${port}`;
  const home = await tempFolder();
  await announceService(home, { url, version: '0.0.0', token: false });
  return {
    ...state,
    home,
    url,
    begun: (count) => until(`${count} operations were begun`, async () => [...operations.keys()][count - 1]),
    step: (id, change) => void Object.assign(Object(operations.get(id)), change),
    write(stream, text) {
      logs[stream] += text;
      readers.get(stream)?.write(text);
    },
    endLog() {
      isLogEnded = true;
      for (const reader of readers.values()) reader.end();
    },
    stop,
  };
}

const blank = {
  state: 'running',
  stage: 'fetching',
  script_id: null,
  script_name: null,
  version: null,
  source: null,
  entries_done: 0,
  bytes_done: 0,
  run_id: null,
  warnings: [],
  problems: [],
  started_at: '2026-05-01T12:00:00.000Z',
  ended_at: null,
  error: null,
};
