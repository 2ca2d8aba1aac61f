import { RefusedError } from '../api/call-service.ts';

const place = 'params.';

/** The params that have to be given again; none when it was refused for another reason. */
export function neededSecrets(error: unknown): readonly string[] {
  if (!(error instanceof RefusedError) || error.code !== 'secrets-needed') return [];
  return error.fields.filter((field) => field.startsWith(place)).map((field) => field.slice(place.length));
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
