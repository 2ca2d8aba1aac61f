import type { Script } from '../scripts/script.ts';
import { hasChinese } from '../scripts/slug.ts';

/** Clients add a prefix, and many refuse names longer than 60 characters with it. */
export const longestToolName = 48;

const fewestDigits = 6;

/** The tools of Hob itself. */
const reserved = /^hob[_-]/i;

/**
 * The name of the tool of a script: the one in its manifest, otherwise its slug. The pinyin of a Chinese name is hard to guess, so it
 * gets digits of the id and stays recognizable if the script is renamed.
 */
export function toolName(script: Script, slug: string): string {
  const { name: declared } = script.mcp;
  if (declared !== null && !reserved.test(declared)) return declared;
  const needsDigits =
    declared !== null ||
    slug.length > longestToolName ||
    (script.wantedSlug === null && hasChinese(script.name));
  return needsDigits ? withDigits(declared ?? slug, script.id) : slug;
}

/** Distinguishes a tool from others that want the same name. */
export function freeName(name: string, scriptId: string, isFree: (name: string) => boolean): string {
  if (isFree(name)) return name;
  const idDigits = scriptId.replaceAll('-', '').length;
  for (let count = fewestDigits; count < idDigits; count++) {
    const longer = withDigits(name, scriptId, count);
    if (isFree(longer)) return longer;
  }
  // No other script has this id.
  return withDigits(name, scriptId, idDigits);
}

function withDigits(name: string, scriptId: string, count = fewestDigits): string {
  const digits = scriptId.replaceAll('-', '').slice(0, count).toLowerCase();
  const room = longestToolName - digits.length - 1;
  return `${name
    .replace(reserved, '')
    .slice(0, room)
    .replace(/[-_]+$/, '')}-${digits}`;
}
