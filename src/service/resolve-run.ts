import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { StartBuild } from '../environments/environment.ts';
import type { Environments } from '../environments/environments.ts';
import type { ModelLibrary } from '../models/model-library.ts';
import { parseRepoId } from '../models/repo-id.ts';
import type { WaitingRun } from '../runs/run-request.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import { command, type Resolution, type Unavailable, unavailable } from '../scripts/runtimes/command.ts';
import { findMissingBinaries } from '../scripts/runtimes/find-binaries.ts';
import { type RuntimeHost, resolveCommand, withSdk } from '../scripts/runtimes/resolve-command.ts';
import { builderId, type Script, undeclared } from '../scripts/script.ts';
import { brief } from '../shared/brief.ts';
import { AppError } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';

interface Needs {
  host: RuntimeHost;
  models: Pick<ModelLibrary, 'stateOf'>;
  environments: Pick<Environments, 'ensure'>;
}

const folder = fileURLToPath(new URL('../environments/builder', import.meta.url));

/** The script that builds environments. It is part of Hob, and it runs like any other script. */
export const builder: Script = {
  ...undeclared,
  id: builderId,
  name: 'Environment',
  folder,
  manifestPath: folder,
  runtime: {
    language: 'node.js',
    languageVersion: null,
    entry: 'main.js',
    terminal: 'never',
    // Packages may be large and connections slow. A user who does not want to wait can cancel the run.
    timeoutMs: 0,
    concurrency: null,
    lock: null,
    retries: null,
    survivors: 'stop',
    notifyOn: 'never',
    env: {},
    binaries: [],
    requireModels: false,
    preload: [],
    mayStartWarm: false,
  },
};

/** The builder runs with the Node that runs Hob, independent of PATH. */
export function builderCommand(): Resolution {
  return command(process.execPath, [join(builder.folder, builder.runtime.entry)]);
}

/** Executes builds as runs, so that users can list, follow, cancel and keep them like any other run. */
export function buildRuns(
  runs: () => Pick<RunService, 'submit' | 'lend' | 'record'>,
  store: Pick<RunStore, 'findBrief'>,
): StartBuild {
  return async ({ script, params, waitingRunId: first }) => {
    if (first !== null) runs().record(first);
    const waiting = first === null ? null : store.findBrief(first);
    const { runId, outcome } = await runs().submit({
      script: { ...builder, name: `${builder.name}: ${script.name}` },
      origin: 'hob',
      caller: waiting === null ? null : { runId: waiting.runId, depth: waiting.depth },
      depth: waiting?.depth ?? 0,
      // Asynchronous: the caller may give up waiting, but the next run still needs the environment.
      sync: false,
      data: null,
      params,
      language: 'en',
      ...(waiting !== null && { lender: waiting.runId }),
    });
    const ended = outcome.then(
      ({ success, message }) => ({ success, message: String(JSON.parse(Buffer.from(message).toString())) }),
      (error: unknown) => ({ success: false, message: messageOf(error) }),
    );
    return { runId, ended, lend: (waitingRunId) => runs().lend(runId, waitingRunId) };
  };
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.text.en;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the command of a script once everything it needs is present. The cheap checks come first. */
export function runResolver(needs: Needs): (script: Script, waiting: WaitingRun) => Promise<Resolution> {
  return (script, waiting) => resolveRun(script, waiting, needs);
}

async function resolveRun(
  script: Script,
  waiting: WaitingRun,
  { host, models, environments }: Needs,
): Promise<Resolution> {
  if (script.id === builder.id) return builderCommand();
  const { binaries, requireModels } = script.runtime;
  const missing =
    (binaries.length > 0 ? await findMissingBinaries(script, host.env) : null) ??
    (requireModels ? await findMissingModels(script, models) : null);
  if (missing !== null) return missing;
  const prepared = await environments.ensure(script, {
    runId: waiting.runId,
    signal: waiting.signal,
    onBuild: (buildRunId) =>
      waiting.onWait({
        en: `Waiting for its environment, which the run ${buildRunId} builds.`,
        zh: `正在等待运行环境，由运行 ${buildRunId} 准备。`,
      }),
  });
  if (prepared.kind === 'unavailable') return prepared;
  const own = prepared.kind === 'python' ? { python: prepared.python } : {};
  const resolution = await resolveCommand(script, host, own);
  if (resolution.kind === 'unavailable') return resolution;
  return { kind: 'command', command: withSdk(resolution.command, script.runtime.language, host.env) };
}

/** Returns the reason why a script that requires its models cannot start; null if all are present. */
async function findMissingModels(
  { models }: Script,
  library: Pick<ModelLibrary, 'stateOf'>,
): Promise<Unavailable | null> {
  const lacking: Text[] = [];
  for (const { repoId, source } of models) {
    const repo = parseRepoId(repoId);
    if (repo === null) {
      lacking.push(noModel(repoId));
      continue;
    }
    const state = await library.stateOf(repo);
    if (state === 'complete') continue;
    const command = `hob model pull ${repoId} --source ${source}`;
    const isPart = state === 'partial';
    const what = isPart ? 'which is only partly downloaded' : 'which is not downloaded';
    lacking.push({
      en: `The script needs the model ${repoId}, ${what}. Get it with: ${command}`,
      zh: `脚本需要模型 ${repoId}，但${isPart ? '只下载了一部分' : '尚未下载'}。请运行：${command}`,
    });
  }
  if (lacking.length === 0) return null;
  return unavailable(lacking.map(({ en }) => en).join('\n'), lacking.map(({ zh }) => zh).join('\n'));
}

/** Suggests no command: a user might copy it, and it would contain unchecked text of a manifest. */
function noModel(repoId: string): Text {
  return {
    en: `The script declares the model ${brief(repoId)}, which is not a valid name. Write it as owner/name in the manifest.`,
    zh: `脚本声明的模型 ${brief(repoId)} 不是有效的名称，清单中应为 owner/name。`,
  };
}
