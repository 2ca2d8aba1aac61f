import { RefusedError } from '../api/call-service.ts';

/** The params that have to be given again, of which the refusal shows the body to send; none when it was refused for another reason. */
export function neededSecrets(error: unknown): readonly string[] {
  if (!(error instanceof RefusedError) || error.code !== 'secrets-needed') return [];
  const [shown] = /\{.*\}/s.exec(error.hint ?? '') ?? [];
  if (shown === undefined) return [];
  const body: unknown = JSON.parse(shown);
  const params: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'params') : null;
  return typeof params === 'object' && params !== null ? Object.keys(params) : [];
}

/** What was typed for a param, as its type wants it; a text that cannot be read so is sent as it is, and refused with the reason. */
export function secretValue(text: string, type: string): unknown {
  if (type === 'str') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
