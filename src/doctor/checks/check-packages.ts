import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { PackageStore } from '../../packages/store/package-store.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { note, ok, problem, type Result, type Results } from '../finding.ts';

/** Checks that installed packages are usable, and finds files of interrupted operations. */
export async function checkPackages({ home, service }: DoctorContext): Promise<Results> {
  const folder = join(home, 'packages');
  const store = new PackageStore(folder);
  const findings: Result[] = [];
  let usable = 0;
  for (const id of await store.ids()) {
    const reading = await store.read(id);
    // The package is being installed or removed.
    if (reading.kind === 'missing') continue;
    const fault = await faultOf(store, id, reading);
    if (fault === null) usable++;
    else
      findings.push(
        problem(
          { en: `The package ${id} cannot run: ${fault.en}`, zh: `脚本包 ${id} 无法运行：${fault.zh}` },
          removal(id),
        ),
      );
  }
  const staging = join(folder, '.staging');
  const left = await readdir(staging).catch(absent);
  // A running service is still using these files.
  if (left.length > 0 && service === null)
    findings.push(
      note(
        {
          en: `${staging} contains files of interrupted installations (${left.length})`,
          zh: `${staging} 中有 ${left.length} 次中断的安装留下的内容`,
        },
        { en: 'No action is needed. The next start removes them.', zh: '无需处理：下次启动时会清除。' },
      ),
    );
  if (usable > 0 || findings.length > 0)
    findings.push(
      ok({
        en: usable === 1 ? '1 package is installed' : `${usable} packages are installed`,
        zh: `已安装 ${usable} 个脚本包`,
      }),
    );
  return findings;
}

async function faultOf(
  store: PackageStore,
  id: string,
  reading: Awaited<ReturnType<PackageStore['read']>>,
): Promise<Text | null> {
  if (reading.kind !== 'record') {
    const path = join(store.folderOf(id), 'installed.json');
    return { en: `${path} is damaged`, zh: `${path} 已损坏` };
  }
  const { current } = reading.record;
  if (await store.hasVersion(id, current)) return null;
  return { en: `its version ${current} is missing`, zh: `缺少版本 ${current}` };
}

function removal(id: string): Text {
  return {
    en: `Remove it with: hob uninstall ${id}. Then install it again.`,
    zh: `请先卸载：hob uninstall ${id}，然后重新安装。`,
  };
}

/** A missing folder counts as empty. */
function absent(error: unknown): never[] {
  if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
  throw error;
}
