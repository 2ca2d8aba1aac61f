import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

import { onTestFinished } from 'vitest';

import { type Fault, type Sent, sendFile } from './send-file.ts';
import type { StoredFile } from './stored-file.ts';

export const commit = '0123456789abcdef0123456789abcdef01234567';
const pageLength = 2;

/** A request to one of the two hosts. */
export interface Asked {
  readonly host: 'hub' | 'store';
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/** A certificate for 127.0.0.1 and its private key. */
interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

type Answerer = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

/**
 * A real server that implements the HTTP interface of both sources for one repo, `ada/tiny`: paged lists, files with ranges, and
 * redirects to a second host (another port) for large files. Tests can make it fail in many ways. It counts what it sends.
 */
export class TestHub {
  readonly asked: Asked[] = [];
  readonly sent: Sent[] = [];
  /** Changes the entries of the list before they are sent. */
  alter: (entries: Record<string, unknown>[]) => unknown = (entries) => entries;
  /** The revision that it reports. */
  sha: unknown = commit;
  /** Answers a request in place of the hub; returns false to leave the request to the hub. */
  answer: Answerer = () => false;
  files: readonly StoredFile[];
  readonly #faults = new Map<string, Fault[]>();
  readonly #hub: Server;
  readonly #store: Server;
  readonly #certificate: Certificate | undefined;

  constructor(files: readonly StoredFile[], certificate?: Certificate) {
    this.files = files;
    this.#certificate = certificate;
    this.#hub = this.#serve((request, response) => this.#answerHub(request, response));
    this.#store = this.#serve((request, response) => this.#answerStore(request, response));
  }

  /** Uses TLS if a certificate is given. */
  static async start(files: readonly StoredFile[], certificate?: Certificate): Promise<TestHub> {
    const hub = await TestHub.launch(files, certificate);
    onTestFinished(() => hub.close());
    return hub;
  }

  /** Starts a hub for a whole test file. The caller must close it. */
  static async launch(files: readonly StoredFile[], certificate?: Certificate): Promise<TestHub> {
    const hub = new TestHub(files, certificate);
    for (const server of [hub.#hub, hub.#store]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return hub;
  }

  close(): void {
    for (const server of [this.#hub, this.#store]) {
      server.closeAllConnections();
      server.close();
    }
  }

  get url(): string {
    return this.#urlOf(this.#hub);
  }

  get storeUrl(): string {
    return this.#urlOf(this.#store);
  }

  /** Sets the faults of the next answers for a file, one per answer. Later answers are correct again. */
  fail(path: string, ...faults: readonly Fault[]): void {
    this.#faults.set(path, [...faults]);
  }

  /** How many bytes of a file were sent. */
  bytesSent(path: string): number {
    return this.sent.filter((sent) => sent.path === path).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Server {
    return this.#certificate === undefined
      ? createServer(answer)
      : createSecureServer(this.#certificate, answer);
  }

  #urlOf(server: Server): string {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the hub is not listening');
    return `${this.#certificate === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`;
  }

  #answerHub(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    this.asked.push({ host: 'hub', url: request.url ?? '', headers: request.headers });
    if (this.answer(request, response, url)) return;
    const [, resolved] = /^\/ada\/tiny\/resolve\/[0-9a-f]{40}\/(.+)$/.exec(url.pathname) ?? [];
    if (/^\/api\/models\/ada\/tiny\/revision\/[^/]+$/.test(url.pathname))
      sendJson(response, { sha: this.sha });
    else if (url.pathname === `/api/models/ada/tiny/tree/${commit}`) this.#sendPage(url, response);
    else if (url.pathname === '/api/v1/models/ada/tiny/repo/files') this.#sendList(response);
    else if (url.pathname === '/api/v1/models/ada/tiny/repo')
      this.#sendOrRedirect(url.searchParams.get('FilePath') ?? '', request, response);
    else if (resolved !== undefined) this.#sendOrRedirect(decodeURIComponent(resolved), request, response);
    else response.writeHead(404).end();
  }

  #answerStore(request: IncomingMessage, response: ServerResponse): void {
    this.asked.push({ host: 'store', url: request.url ?? '', headers: request.headers });
    const sha256 = new URL(request.url ?? '/', this.storeUrl).pathname.slice(1);
    const file = this.files.find((one) => one.sha256 === sha256);
    if (file === undefined) response.writeHead(404).end();
    else this.#send(file, request, response);
  }

  #sendOrRedirect(path: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.files.find((one) => one.path === path);
    if (file === undefined) response.writeHead(404).end();
    else if (!file.isLarge) this.#send(file, request, response);
    else {
      response.writeHead(302, {
        location: `${this.storeUrl}/${file.sha256}?signature=very-secret`,
        'x-repo-commit': commit,
        'x-linked-etag': `"${file.sha256}"`,
        'x-linked-size': file.bytes.length,
      });
      response.end('Found. Redirecting');
    }
  }

  #send(file: StoredFile, request: IncomingMessage, response: ServerResponse): void {
    const fault = this.#faults.get(file.path)?.shift();
    sendFile({ file, fault, request, response, note: (sent) => this.sent.push(sent) });
  }

  #sendPage(url: URL, response: ServerResponse): void {
    const at = Number(url.searchParams.get('cursor') ?? 0);
    const entries = this.alter(
      this.files.slice(at, at + pageLength).map((file) => ({
        type: 'file',
        path: file.path,
        oid: file.gitSha,
        size: file.bytes.length,
        ...(file.isLarge && { lfs: { oid: file.sha256, size: file.bytes.length, pointerSize: 130 } }),
      })),
    );
    const next = new URL(url);
    next.searchParams.set('cursor', String(at + pageLength));
    if (at + pageLength < this.files.length) response.setHeader('link', `<${next.href}>; rel="next"`);
    sendJson(response, entries);
  }

  #sendList(response: ServerResponse): void {
    const entries = this.files.map((file) => ({
      Type: 'blob',
      Path: file.path,
      Size: file.bytes.length,
      Sha256: file.sha256,
    }));
    sendJson(response, { Code: 200, Success: true, Data: { Files: this.alter(entries) } });
  }
}

export function sendJson(response: ServerResponse, document: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}
