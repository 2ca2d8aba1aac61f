import { type IncomingHttpHeaders, request } from 'node:http';

interface Asked {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Asks by any method and with any header, and waits for the end of the answer. */
export function ask(url: string, method: string, headers: Record<string, string> = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    // The path just as it stands, which a URL would tidy up.
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
