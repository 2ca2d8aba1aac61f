import { randomUUID } from 'node:crypto';

import type { Run, ScriptDetail } from '../../contract/types.ts';
import { getScript } from '../find-script.ts';
import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { poll } from '../poll.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { startService } from '../start-service.ts';
import { UserError, userError } from '../user-error.ts';
import { notifyUser } from './notify-user.ts';

/** The paths for a script, and a remark for the user about the selection; null paths: the user changed their mind. */
export interface Selection {
  readonly paths: readonly string[] | null;
  readonly remark: string | null;
}

interface DesktopStart {
  readonly home: string | undefined;
  readonly scriptId: string;
  readonly origin: 'menu' | 'shortcut';
  select(script: ScriptDetail, client: ServiceClient): Promise<Selection>;
}

/**
 * Starts a run for a click on the desktop. There is no terminal, so a notification shows what prevents it. Each call is a click, and
 * each click is a run.
 */
export async function startFromDesktop({
  home: flag,
  scriptId,
  origin,
  select,
}: DesktopStart): Promise<void> {
  let title = 'Hob';
  try {
    const client = await openService(flag);
    const script = await getScript(client, scriptId).catch((error: unknown) => {
      throw isUnknown(error) ? scriptGone() : error;
    });
    title = script.name;
    const { paths, remark } = await select(script, client);
    if (paths === null) return;
    // The key lets the client repeat the request if the service restarts at this moment.
    const headers = { 'x-hob-origin': origin, 'idempotency-key': randomUUID() };
    const hint = tr('Then try again.', '恢复后请重试。');
    const path = `/api/scripts/${encodeURIComponent(script.id)}/runs`;
    const body = paths.length === 0 ? {} : { data: paths };
    const run = await client.post<Run>(path, body, { headers, hint });
    process.stdout.write(`${run.run_id}\n`);
    if (remark !== null) await notifyUser('info', title, remark);
  } catch (error) {
    const message = error instanceof UserError ? error.message : String(error);
    await notifyUser('error', title, message);
    throw error;
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof RefusedError && error.code === 'script-unknown';
}

function scriptGone(): UserError {
  return userError(
    'This script is gone or cannot be loaded. hob list shows why. To update the menus: hob menus install',
    '此脚本已不存在或无法加载，hob list 会说明原因。更新菜单：hob menus install',
  );
}

/** Another click may be starting the service at this moment; then this one waits for it. */
const otherStart = { everyMs: 100, withinMs: 10_000 };

async function openService(flag: string | undefined): Promise<ServiceClient> {
  const { home, service } = await findService(flag);
  if (service !== null) return ServiceClient.find(flag);
  try {
    return await startService(home);
  } catch (error) {
    const other = await poll(async () => (await findService(flag)).service, otherStart);
    if (other === null) throw error;
    return ServiceClient.find(flag);
  }
}
