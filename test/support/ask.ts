import { type IncomingHttpHeaders, request } from 'node:http';

interface Asked {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request with any method and any header, and resolves when the answer is complete. */
export function ask(url: string, method: string, headers: Record<string, string> = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    // The path exactly as given. `URL` would normalise it.
    const path = url.slice(new URL(url).origin.length) || '/';
    const sent = request(url, { path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}
