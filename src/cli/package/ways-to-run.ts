import { tr } from '../language.ts';
import { curlOf } from '../run/curl-of.ts';
import { runLine } from '../run/run-line.ts';
import { readScript } from '../run/script-shape.ts';
import type { ServiceClient } from '../service-client.ts';
import { UserError } from '../user-error.ts';

/** The commands that run a script, to be copied into a shell. */
export async function waysToRun(client: ServiceClient, scriptId: string): Promise<string[]> {
  try {
    const script = readScript(await client.get(`/api/scripts/${encodeURIComponent(scriptId)}`));
    return [
      `${tr('Run it: ', '运行：')}${runLine(script)}`,
      `${tr('Over HTTP: ', '或者：')}${curlOf(client, script)}`,
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // These lines are optional: the script is installed.
    return [];
  }
}
