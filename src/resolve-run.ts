import { builder, builderCommand } from './build-runs.ts';
import type { Environments } from './environments/environments.ts';
import type { ModelLibrary } from './models/model-library.ts';
import { findMissingModels } from './require-models.ts';
import type { WaitingRun } from './runs/run-request.ts';
import type { Resolution } from './scripts/runtimes/command.ts';
import { findMissingBinaries } from './scripts/runtimes/find-binaries.ts';
import { type RuntimeHost, resolveCommand } from './scripts/runtimes/resolve-command.ts';
import { withSdk } from './scripts/runtimes/with-sdk.ts';
import type { Script } from './scripts/script.ts';

interface Needs {
  host: RuntimeHost;
  models: Pick<ModelLibrary, 'stateOf'>;
  environments: Pick<Environments, 'ensure'>;
}

/** Returns the command of a script once everything it needs is present. The cheap checks come first. */
export async function resolveRun(
  script: Script,
  waiting: WaitingRun,
  { host, models, environments }: Needs,
): Promise<Resolution> {
  if (script.id === builder.id) return builderCommand();
  const missing = (await findMissingBinaries(script, host.env)) ?? (await findMissingModels(script, models));
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
