import type { ScriptList } from '../contract/types.ts';
import { shortId } from './find-script.ts';
import type { ServiceClient } from './service-client.ts';
import { cutToWidth, printable } from './terminal/text.ts';

interface ListedScript {
  readonly script_id: string;
  readonly script_name: string;
}

const widestName = 28;

/** The titles of scripts in a list: the name, followed by the slug if another script in the list has the same name. */
export async function scriptTitles(
  client: ServiceClient,
  listed: readonly ListedScript[],
): Promise<(script: ListedScript) => string> {
  const firstOfName = new Map<string, string>();
  const shared = new Set<string>();
  for (const { script_id, script_name } of listed) {
    const first = firstOfName.get(script_name) ?? script_id;
    firstOfName.set(script_name, first);
    if (first !== script_id) shared.add(script_name);
  }
  const { scripts } = shared.size === 0 ? { scripts: [] } : await client.get<ScriptList>('/api/scripts');
  const slugs = new Map(scripts.map(({ id, slug }) => [id, slug]));
  const ids = [...new Set(listed.map(({ script_id }) => script_id))];
  return ({ script_id, script_name }) => {
    const name = cutToWidth(printable(script_name), widestName);
    // A script that was removed has no slug.
    return shared.has(script_name) ? `${name} (${slugs.get(script_id) ?? shortId(script_id, ids)})` : name;
  };
}
