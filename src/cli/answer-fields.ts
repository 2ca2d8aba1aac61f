import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { printable } from './terminal/text-width.ts';

/** Readers for the fields of a response. The response comes from another process, so no type is taken for granted. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The message of an error field and its hint, if there is one. */
export function errorIn(error: Json | undefined): string | null {
  if (!isJsonObject(error)) return null;
  const hint = textOf(error.hint);
  return printable(
    [textOf(error.message), hint === '' ? null : hint].filter((each) => each !== null).join('\n'),
  );
}
