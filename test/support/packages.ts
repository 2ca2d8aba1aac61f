import type { Hob } from './hob.ts';
import { until } from './until.ts';

/** Starts a package operation and waits for its end. Returns an immediate refusal as it is. */
export async function operate(hob: Hob, path: string, body: object = {}): Promise<Record<string, unknown>> {
  const begun = await hob.post(path, body);
  if (begun.status !== 200) return { ...begun.body, status: begun.status };
  return operationEnded(hob, String(begun.body.operation_id));
}

export async function operationEnded(hob: Hob, id: string): Promise<Record<string, unknown>> {
  return until('the operation has ended', async () => {
    const { body } = await hob.get(`/api/packages/operations/${id}`);
    return body.state !== 'running' && body;
  });
}

export function install(hob: Hob, source: string, rest: object = {}): Promise<Record<string, unknown>> {
  return operate(hob, '/api/packages/install', { source, ...rest });
}
