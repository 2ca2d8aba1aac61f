import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { safeFileName } from '../safe-file-name.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print-json.ts';
import { UserError } from '../user-error.ts';
import { describeMade } from './describe-made.ts';
import { filesOfScript } from './files-of-script.ts';
import { type NewOptions, settleScript } from './settle-script.ts';
import { faultOfPlace, requireFolder, writeScript } from './write-script.ts';

export interface MakeOptions extends NewOptions {
  dir?: string;
  home?: string;
  json?: boolean;
}

const noticedWithinMs = 5000;
const pollMs = 50;

/** `hob new`: a folder with a script that runs. */
export async function makeScript(name: string | undefined, options: MakeOptions): Promise<void> {
  const { home, service } = await findService(options.home);
  const parent = options.dir === undefined ? await usualPlace(home) : resolve(options.dir);
  await requireFolder(parent);
  const folderOf = (wanted: string) => join(parent, safeFileName(wanted));
  const script = await settleScript(name, options, (wanted) => faultOfPlace(folderOf(wanted)));
  const folder = folderOf(script.name);
  const client = service === null ? null : await ServiceClient.find(options.home);
  if (client !== null && options.id !== undefined && (await isKnown(client, script.id)))
    throw new UserError(
      tr(
        `Another script has the id ${script.id}. Leave --id out, and a new one is made.`,
        `已有脚本使用 ID ${script.id}。去掉 --id 会自动生成一个新的。`,
      ),
    );
  const files = filesOfScript(script);
  await writeScript(folder, files);
  const isNoticed = client !== null && (await untilKnown(client, script.id));
  const isOwnPlace = parent === join(home, 'scripts');
  if (options.json === true)
    printJson({
      folder,
      id: script.id,
      name: script.name,
      language: script.language,
      files: files.map(({ path }) => path),
    });
  else process.stdout.write(describeMade(script, { folder, parent, isOwnPlace, client, isNoticed }));
}

/** Where services look for scripts, if there is a home; else here. */
async function usualPlace(home: string): Promise<string> {
  const scripts = join(home, 'scripts');
  const found = await stat(scripts).catch(() => null);
  return found?.isDirectory() === true ? scripts : resolve('.');
}

async function isKnown(client: ServiceClient, id: string): Promise<boolean> {
  try {
    await client.get(`/api/scripts/${encodeURIComponent(id)}`);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** Whether the service has noticed it within a moment, so that what is said next can be done at once. */
async function untilKnown(client: ServiceClient, id: string): Promise<boolean> {
  const deadline = performance.now() + noticedWithinMs;
  while (performance.now() < deadline) {
    if (await isKnown(client, id)) return true;
    await wait(pollMs);
  }
  return false;
}
