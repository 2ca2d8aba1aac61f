import type { Operation } from './read-document.ts';

/** Whether it changes nothing, and its answer has an end. */
export function canTry({ method, answers }: Operation): boolean {
  const isStream = answers.some(({ contents }) => contents.some(({ type }) => type === 'text/event-stream'));
  return method === 'GET' && !isStream;
}

/** Where it is, with what was filled in; what was left empty is not sent. */
export function addressOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]?.trim() ?? ''));
  const query = new URLSearchParams(
    parameters
      .filter(({ place, name }) => place === 'query' && (values[name] ?? '') !== '')
      .map(({ name }) => [name, values[name] ?? '']),
  ).toString();
  return query === '' ? at : `${at}?${query}`;
}

/** More than anybody reads, and less than a browser stumbles over. */
const mostShown = 50_000;

/** An answer as a person reads it. */
export function shownText(text: string): { shown: string; isCut: boolean } {
  const pretty = prettyJson(text) ?? text;
  return { shown: pretty.slice(0, mostShown), isCut: pretty.length > mostShown };
}

function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
