import { bodyOf, serve } from './servers.ts';

interface Hit {
  readonly vector: string;
  readonly method: string;
  readonly body: string;
}

/** Starts an unprotected service on the loopback address, which answers every request. */
export async function startControl(): Promise<{ origin: string; hits: Hit[] }> {
  const hits: Hit[] = [];
  const { port } = await serve(
    (request, response) => {
      void bodyOf(request).then((body) => {
        const vector = new URL(request.url ?? '/', 'http://control').searchParams.get('vector') ?? '';
        hits.push({ vector, method: request.method ?? '', body });
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"secret":"of the control"}');
      });
    },
    ['127.0.0.1', '::1'],
  );
  return { origin: `http://127.0.0.1:${port}`, hits };
}
