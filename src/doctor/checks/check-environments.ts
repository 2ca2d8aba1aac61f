import { join } from 'node:path';

import { formatBytes } from '../../contract/quantities.ts';
import type { EnvironmentView } from '../../environments/environment.ts';
import { EnvironmentStore, viewEnvironment } from '../../environments/environment-store.ts';
import { Planner } from '../../environments/plan.ts';
import type { Script } from '../../scripts/script.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { nameSome, note, ok, type Result, type Results } from '../finding.ts';

/** Checks the size of the environments, and which of them are damaged or unused. */
export async function checkEnvironments(context: DoctorContext): Promise<Results> {
  const { home, platform, settings } = context;
  const store = new EnvironmentStore(join(home, 'environments'), platform);
  const keys = await store.keys();
  if (keys.length === 0) return [];
  const views = await Promise.all(
    keys.map((key) => viewEnvironment(store, key, { isBuilding: false, scripts: [] })),
  );
  const all = views.filter((view) => view !== null);
  const needed = await neededKeys(context);
  const damaged = all.filter(({ state }) => state === 'damaged');
  const unused = all.filter(({ state, key }) => state === 'ready' && needed?.has(key) === false);
  const bytes = all.reduce((sum, view) => sum + view.bytes, 0);
  const named = (some: readonly EnvironmentView[]) => nameSome(some.map(({ key }) => key));
  const findings: Result[] = [];
  if (damaged.length > 0)
    findings.push(
      note(
        {
          en: `Incomplete, or their interpreter is missing: ${named(damaged).en}`,
          zh: `未完成或缺少解释器：${named(damaged).zh}`,
        },
        {
          en: 'No action is needed. Hob builds them again when a script needs them, and removes them otherwise.',
          zh: '无需处理：脚本需要时会重新创建，不再需要时会自动删除。',
        },
      ),
    );
  if (unused.length > 0)
    findings.push(
      note(
        { en: `Not used by any script: ${named(unused).en}`, zh: `没有脚本需要：${named(unused).zh}` },
        {
          en: `Hob removes them after ${settings.environment_days} days without use. To remove one now: hob environments rm <key>`,
          zh: `闲置 ${settings.environment_days} 天后会自动删除；如需立即删除：hob environments rm <key>`,
        },
      ),
    );
  const count = all.length === 1 ? '1 environment uses' : `${all.length} environments use`;
  findings.push(
    ok({
      en: `${count} ${formatBytes(bytes)}`,
      zh: `${all.length} 个运行环境，共占用 ${formatBytes(bytes)}`,
    }),
  );
  return findings;
}

/** Returns null if the service may choose another interpreter and therefore another environment. */
async function neededKeys({
  finder,
  programs,
  platform,
  scripts,
}: DoctorContext): Promise<Set<string> | null> {
  for (const language of ['python', 'node.js'] as const)
    if ((await programs.foreignInterpreters(finder, language)).length > 0) return null;
  const planner = new Planner({ finder, platform });
  const keyOf = async (script: Script) => {
    const plan = await planner.planFor(script);
    return plan.kind === 'environment' ? [plan.key] : [];
  };
  return new Set((await Promise.all((await scripts()).scripts.map(keyOf))).flat());
}
