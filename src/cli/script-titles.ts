import type { ScriptList } from '../contract/types.ts';
import { shortId } from './find-script.ts';
import type { ServiceClient } from './service-client.ts';
import { cutToWidth, printable, widthOf } from './terminal/text.ts';
import { UserError } from './user-error.ts';

interface ListedScript {
  readonly script_id: string;
  readonly script_name: string;
}

/** Leaves room for the other columns of a line of 80 characters. */
const widestTitle = 28;

/**
 * The titles of scripts in a list: the name, followed by the slug if another script in the list has the same name. If that is too wide, the
 * short id replaces the slug, which repeats the name.
 */
export async function scriptTitles(
  client: Pick<ServiceClient, 'get'>,
  listed: readonly ListedScript[],
): Promise<(script: ListedScript) => string> {
  const firstOfName = new Map<string, string>();
  const shared = new Set<string>();
  for (const { script_id, script_name } of listed) {
    const first = firstOfName.get(script_name) ?? script_id;
    firstOfName.set(script_name, first);
    if (first !== script_id) shared.add(script_name);
  }
  const slugs = shared.size === 0 ? new Map<string, string>() : await slugsOf(client);
  const ids = [...new Set(listed.map(({ script_id }) => script_id))];
  return ({ script_id, script_name }) => {
    const name = printable(script_name);
    if (!shared.has(script_name)) return cutToWidth(name, widestTitle);
    const slug = slugs.get(script_id);
    const title = `${name} (${slug})`;
    if (slug !== undefined && widthOf(title) <= widestTitle) return title;
    const digits = ` (${shortId(script_id, ids)})`;
    return cutToWidth(name, widestTitle - digits.length) + digits;
  };
}

/** The slugs by id. A removed script has none. Without an answer there are none, so the titles contain ids. */
async function slugsOf(client: Pick<ServiceClient, 'get'>): Promise<Map<string, string>> {
  try {
    const { scripts } = await client.get<ScriptList>('/api/scripts');
    return new Map(scripts.map(({ id, slug }) => [id, slug]));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return new Map();
  }
}
