import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { bodyOf, serve } from './servers.ts';
import type { Vector } from './vector.ts';

export interface AttackPage {
  readonly html: string;
  readonly headers: Record<string, string>;
}

/** The part of a target's response that the page of a vector could read. */
export interface Read {
  readonly vector: string;
  readonly target: string;
  readonly read: string;
}

export interface Attacker {
  readonly port: number;
  readonly pages: Map<string, AttackPage>;
  readonly reads: Read[];
  /** Waits until a page reports that it has finished. */
  through(page: string): Promise<void>;
}

const scripts: Record<string, string> = {
  '/shared-worker.js': `onconnect = ({ ports: [port] }) => {
    port.onmessage = ({ data }) => send(data).then((read) => port.postMessage(read));
  };`,
  '/service-worker.js': `onmessage = (event) => {
    event.waitUntil(send(event.data).then((read) => event.ports[0].postMessage(read)));
  };`,
};
const send = `const send = (url) =>
  fetch(url, { method: 'POST', mode: 'no-cors', body: 'x' }).then((answer) => answer.text()).catch(() => '');
`;

/** Starts the web server of the attacker. */
export async function startAttacker(): Promise<Attacker> {
  const pages = new Map<string, AttackPage>();
  const reads: Read[] = [];
  const waiting = new Map<string, () => void>();
  const { port } = await serve(
    (request, response) => {
      void answer(request, response);
    },
    ['127.0.0.1'],
  );
  return {
    port,
    pages,
    reads,
    through(page) {
      return new Promise((resolve) => waiting.set(page, resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://attacker');
    const body = await bodyOf(request);
    const page = pages.get(url.pathname.slice(1));
    const script = scripts[url.pathname];
    const status = /^\/redirect\/(\d+)$/.exec(url.pathname)?.[1];
    if (page !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
      response.end(page.html);
    } else if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      response.end(send + script);
    } else if (status !== undefined) {
      const location = url.searchParams.get('to') ?? '';
      // The attacker allows CORS in its own responses; the target decides about its own.
      response.writeHead(Number(status), { location, 'access-control-allow-origin': '*' });
      response.end();
    } else if (url.pathname === '/report') {
      take(JSON.parse(body));
      response.writeHead(204).end();
    } else if (url.pathname === '/back') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<script>onload = () => setTimeout(() => history.back())</script>');
    } else response.writeHead(404).end();
  }

  function take(report: { page: string; reads: Read[] }): void {
    reads.push(...report.reads);
    waiting.get(report.page)?.();
  }
}

/** The scripts of an attacking page: the shared kit, and the code that fires the vectors. */
export async function attackScripts(
  given: Record<string, unknown>,
  vectors: readonly Vector[],
): Promise<string[]> {
  const kit = await readFile(new URL('page-kit.js', import.meta.url), 'utf8');
  const shots = vectors.map(({ name, fire }) => `${JSON.stringify(name)}: (aim) => ${fire}`);
  return [kit, `attack({ ...${JSON.stringify(given)}, shots: {\n${shots.join(',\n')}\n} });`];
}

export function attackHtml(head: string, scripts: readonly string[]): string {
  const elements = scripts.map((text) => `<script>${text}</script>`);
  return `<!doctype html><head><meta charset="utf-8">${head}</head><body>${elements.join('\n')}</body>`;
}
