import type { ScriptDetail } from '../contract/types.ts';
import { tr } from './language.ts';
import type { ServiceClient } from './service-client.ts';
import { printable } from './terminal/text.ts';

/** Seconds that the printed curl commands wait for the end of the run. */
const waitS = 60;

/** A curl command that runs a script, to be copied into a shell. The script is a slug or an id. */
export function curlLine(
  { url, needsToken }: Pick<ServiceClient, 'url' | 'needsToken'>,
  script: string,
  inputs: object,
): string {
  // Names come from manifests: a quote in a name must not end the quoted argument.
  const json = JSON.stringify({ ...inputs, wait_s: waitS }).replaceAll("'", '\\u0027');
  const token = needsToken ? ` -H "$(hob token --header)"` : '';
  return `curl -sS ${url}/api/scripts/${script}/runs${token} -H 'Content-Type: application/json' -d '${json}'`;
}

/** A curl command that runs a script, with placeholders for the required values. */
export function curlOf(client: ServiceClient, { slug, input, params }: ScriptDetail): string {
  const required = params.filter((param) => param.required && param.default === undefined);
  return curlLine(client, slug, {
    ...(input !== null && { data: { [input.name]: ['...'] } }),
    ...(required.length > 0 && { params: Object.fromEntries(required.map(({ name }) => [name, '...'])) }),
  });
}

/** A `hob run` command for a script, with placeholders for the required values. */
export function runLine({ slug, input, params }: ScriptDetail): string {
  const required = params.filter((param) => param.required && param.default === undefined && !param.secret);
  const words = [
    ...(input === null ? [] : [placeOf(input)]),
    ...required.map((param) => `-p ${printable(param.name)}=...`),
  ];
  return ['hob run', slug, ...words].join(' ');
}

function placeOf({ name, pick, type }: NonNullable<ScriptDetail['input']>): string {
  const isSingle = type === 'str';
  if (pick === null) return `<${printable(name)}>`;
  if (pick === 'folders') return isSingle ? tr('<folder>', '<文件夹>') : tr('<folders>', '<文件夹>');
  return isSingle ? tr('<file>', '<文件>') : tr('<files>', '<文件>');
}

/** Quotes a text so that a shell reads it as one word. */
export function quoteWord(text: string): string {
  return /^[\p{L}\p{N}_./+-]+$/u.test(text) ? text : shellWord(text);
}

/** A quoted word for sh, and for GLib, which parses command lines in the same way. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
