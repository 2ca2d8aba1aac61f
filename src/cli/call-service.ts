import { request } from 'node:http';
import { text } from 'node:stream/consumers';

interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Sends a request and returns a fetch-like response. Loading fetch takes longer than the rest of a short command. */
export function callService(url: string, { method, headers, body, signal }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { ...headers }, signal }, (answer) => {
      const status = answer.statusCode ?? 0;
      resolve({
        status,
        ok: status >= 200 && status < 300,
        headers: { get: (name) => answer.headers[name]?.toString() ?? null },
        text: () => text(answer),
      });
    });
    // After the response has begun, the body stream reports errors to its reader.
    call.on('error', reject);
    call.end(body);
  });
}
