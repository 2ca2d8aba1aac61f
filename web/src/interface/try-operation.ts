import type { Operation } from './read-document.ts';

/** Whether an operation changes nothing and its response ends. */
export function canTry({ method, answers }: Operation): boolean {
  const isStream = answers.some(({ contents }) => contents.some(({ type }) => type === 'text/event-stream'));
  return method === 'GET' && !isStream;
}

/** The URL with the entered values. Empty values are not sent. */
export function addressOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]?.trim() ?? ''));
  const query = new URLSearchParams(
    parameters
      .filter(({ place, name }) => place === 'query' && (values[name] ?? '') !== '')
      .map(({ name }) => [name, values[name] ?? '']),
  ).toString();
  return query === '' ? at : `${at}?${query}`;
}

/** Longer texts slow down the browser. */
const mostShown = 50_000;

/** A response in readable form: JSON is indented. */
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
