import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { BuildRequest, StartBuild } from '../environments/environment.ts';
import type { RunService } from '../runs/run-service.ts';
import type { RunStore } from '../runs/run-store.ts';
import { builderId } from '../scripts/builder-id.ts';
import { command, type Resolution } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';
import { AppError } from '../shared/errors.ts';
import type { Json, JsonObject } from '../shared/json.ts';

const folder = fileURLToPath(new URL('../environments/builder', import.meta.url));

/** The script that builds environments. It is part of Hob, and it runs like any other script. */
export const builder: Script = {
  id: builderId,
  name: 'Environment',
  version: null,
  description: null,
  icon: null,
  folder,
  manifestPath: folder,
  rootTable: 'service',
  runtime: {
    language: 'node.js',
    languageVersion: null,
    entry: 'main.js',
    terminal: 'never',
    // Packages may be large and connections slow. A user who does not want to wait can cancel the run.
    timeoutMs: 0,
    concurrency: null,
    lock: null,
    survivors: 'stop',
    notifyOn: 'never',
    env: {},
    binaries: [],
    requireModels: false,
    preload: [],
    mayStartWarm: false,
  },
  input: null,
  params: [],
  outputs: [],
  isNode: false,
  models: [],
  dependencies: [],
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
      params: asJson(params),
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

function asJson(params: BuildRequest['params']): JsonObject {
  const entries = Object.entries(params).map(([name, value]): [string, Json] => [
    name,
    typeof value === 'object' && value !== null ? [...value] : value,
  ]);
  return Object.fromEntries(entries);
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.text.en;
  return error instanceof Error ? error.message : String(error);
}
