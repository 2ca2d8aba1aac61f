import { isAbsolute, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { CheckFolder, FetchPackage, ParseSource, PrepareScript } from './packages/operations/needs.ts';
import { Packages } from './packages/operations/packages.ts';
import type { EventLog } from './runs/events/event-log.ts';
import type { Catalogue } from './scripts/catalogue.ts';
import { loadFolder } from './scripts/load-folder.ts';
import { systemClock } from './shared/clock.ts';
import { AppError } from './shared/errors.ts';
import type { Logger } from './shared/log.ts';
import { tellPackages } from './tell-packages.ts';

interface PackageParts {
  /** Where packages are kept. */
  folder: string;
  catalogue: Catalogue;
  eventLog: EventLog;
  env: Record<string, string>;
  prepare: PrepareScript;
  isInUse: (scriptId: string, folder: string) => boolean;
  log: Logger;
}

/** Builds what installs packages, and connects it with the catalogue that finds them. */
export async function composePackages(
  parts: PackageParts,
): Promise<{ packages: Packages; close(): Promise<void> }> {
  const { folder, catalogue, eventLog, env, prepare, isInUse, log } = parts;
  const packages = new Packages({
    folder,
    catalogue: {
      find: (id) => catalogue.find(id),
      isForeign: (id) => catalogue.find(id)?.folder.startsWith(folder + sep) === false,
      refresh: (paths) => catalogue.refresh(paths),
    },
    fetch: fetchNothing,
    check: checkScript,
    parseSource: parsePath,
    prepare,
    isInUse,
    env,
    clock: systemClock,
    log: log.child({ part: 'packages' }),
  });
  const endTelling = tellPackages(packages, eventLog);
  await packages.start();
  return {
    packages,
    async close() {
      await packages.close();
      endTelling();
    },
  };
}

const fetchNothing: FetchPackage = async ({ location }, { signal }) => {
  await wait(300, undefined, { signal });
  const text = { en: `${location} cannot be fetched`, zh: `无法获取 ${location}` };
  throw new AppError('package-fetch-failed', text);
};

const checkScript: CheckFolder = async (folder) => {
  const loaded = await loadFolder(folder);
  if (loaded === null) return { script: null, problems: [] };
  return loaded.kind === 'script'
    ? { script: loaded.script, problems: loaded.notes }
    : { script: null, problems: loaded.problems };
};

const parsePath: ParseSource = (text, { ref = null, path = null }) => {
  if (/^https?:/.test(text)) return { kind: 'git', location: text, ref, path };
  if (isAbsolute(text)) return { kind: 'folder', location: text, ref: null, path };
  throw new AppError('package-source-invalid', {
    en: 'source must be an absolute path',
    zh: 'source 应为绝对路径',
  });
};
