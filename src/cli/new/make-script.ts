import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../../shared/errors.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { scriptsIn } from '../pick-script.ts';
import { safeFileName } from '../safe-file-name.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print-json.ts';
import { UserError } from '../user-error.ts';
import { collectProperties, type NewOptions } from './collect-properties.ts';
import { describeMade } from './describe-made.ts';
import { filesOfScript } from './files-of-script.ts';
import type { NewScript } from './new-script.ts';
import { faultOfPlace, requireFolder, writeScript } from './write-script.ts';

export interface MakeOptions extends NewOptions {
  dir?: string;
  home?: string;
  json?: boolean;
}

const noticedWithinMs = 5000;
const pollMs = 50;

/** `hob new`: creates a folder with a working script. */
export async function makeScript(name: string | undefined, options: MakeOptions): Promise<void> {
  const { home, service } = await findService(options.home);
  const parent = options.dir === undefined ? join(home, 'scripts') : resolve(options.dir);
  if (options.dir !== undefined) await requireFolder(parent);
  const folderOf = (wanted: string) => join(parent, safeFileName(wanted));
  const script = await collectProperties(name, options, (wanted) => faultOfPlace(folderOf(wanted)));
  const folder = folderOf(script.name);
  const client = service === null ? null : await ServiceClient.find(options.home);
  if (client !== null && options.id !== undefined && (await isKnown(client, script.id)))
    throw new UserError(
      tr(
        `Another script already has the id ${script.id}. Omit --id to generate a new one.`,
        `已有脚本使用 ID ${script.id}。去掉 --id 会自动生成一个新的。`,
      ),
    );
  const files = filesOfScript(script);
  if (options.dir === undefined) await createScriptsFolder(parent);
  await writeScript(folder, files);
  const isNoticed = client !== null && (await untilKnown(client, script.id));
  const isNameTaken = client !== null && (await isNamedTwice(client, script));
  const isInHome = parent === join(home, 'scripts');
  if (options.json === true)
    printJson({
      folder,
      id: script.id,
      name: script.name,
      language: script.language,
      files: files.map(({ path }) => path),
    });
  else
    process.stdout.write(describeMade(script, { folder, parent, isInHome, client, isNoticed, isNameTaken }));
}

/** Creates the scripts folder of the home, which is missing if Hob has never run there. */
async function createScriptsFolder(scripts: string): Promise<void> {
  await mkdir(scripts, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const errno = errnoOf(error);
    throw new UserError(
      tr(
        `Cannot create the scripts folder ${scripts} (${errno}). Choose another folder: --dir <dir>`,
        `无法创建存放脚本的文件夹 ${scripts}（${errno}）。请用 --dir <文件夹> 指定位置。`,
      ),
    );
  });
}

async function isNamedTwice(client: ServiceClient, { id, name }: NewScript): Promise<boolean> {
  const { scripts } = await client.get('/api/scripts');
  return scriptsIn(scripts).some((other) => other.name === name && other.id !== id);
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

/** Waits until the service knows the script, so that the printed commands work immediately. False after a timeout. */
async function untilKnown(client: ServiceClient, id: string): Promise<boolean> {
  const deadline = performance.now() + noticedWithinMs;
  while (performance.now() < deadline) {
    if (await isKnown(client, id)) return true;
    await wait(pollMs);
  }
  return false;
}
