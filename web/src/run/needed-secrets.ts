import { RefusedError } from '../api/call-service.ts';

const place = 'params.';

/** The names of the secrets to enter again; empty for other errors. */
export function neededSecrets(error: unknown): readonly string[] {
  if (!(error instanceof RefusedError) || error.code !== 'secrets-needed') return [];
  return error.fields.filter((field) => field.startsWith(place)).map((field) => field.slice(place.length));
}

/** Converts entered text to the type of the parameter. Invalid text is sent unchanged, and the service refuses it with a reason. */
export function secretValue(text: string, type: string): unknown {
  if (type === 'str') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
