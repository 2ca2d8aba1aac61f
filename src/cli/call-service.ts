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

/** Calls a service, and answers as fetch does. To load fetch takes longer than all the rest of a short command. */
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
    // It may fail again when it was answered already; whoever reads the answer is told then.
    call.on('error', reject);
    call.end(body);
  });
}
