import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { FetchOptions } from '../../src/packages/fetch/fetch-package.ts';
import type {
  OperationView,
  PackageCatalogue,
  PrepareScript,
} from '../../src/packages/operations/operation.ts';
import { Packages, type PackagesOptions } from '../../src/packages/operations/packages.ts';
import type { FetchedPackage, PackageSource } from '../../src/packages/package-source.ts';
import { loadFolder } from '../../src/scripts/load-folder.ts';
import type { Script } from '../../src/scripts/script.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createLogger } from '../../src/shared/log.ts';
import { tempFolder } from './hob.ts';

/** A catalogue of the installed packages, and of scripts that a test declares to be elsewhere. */
export class PackageCatalogueHere implements PackageCatalogue {
  readonly foreign = new Map<string, Script>();
  readonly #scripts = new Map<string, Script>();

  find(id: string): Script | null {
    return this.#scripts.get(id.toLowerCase()) ?? this.foreign.get(id.toLowerCase()) ?? null;
  }

  isForeign(id: string): boolean {
    return this.foreign.has(id);
  }

  async refresh(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      this.#scripts.delete(basename(path));
      const text = await readFile(join(path, 'installed.json'), 'utf8').catch(() => null);
      if (text === null) continue;
      const { current } = JSON.parse(text);
      const loaded = await loadFolder(join(path, String(current)));
      if (loaded?.kind === 'script') this.#scripts.set(loaded.script.id, loaded.script);
    }
  }
}

/** Points at which a test can replace or delay the work. */
export interface Hooks {
  fetch?: (source: PackageSource, options: FetchOptions) => Promise<void>;
  fetched?: (source: PackageSource) => Partial<FetchedPackage>;
  check?: PackagesOptions['check'];
  prepare?: PrepareScript;
  isInUse?: (scriptId: string, folder: string) => boolean;
}

/** Packages in folders of this machine. There is nothing to prepare unless the test says otherwise. */
export async function packagesHere({ folder, hooks = {} }: { folder?: string; hooks?: Hooks } = {}) {
  const home = folder ?? join(await tempFolder(), 'packages');
  const catalogue = new PackageCatalogueHere();
  const packages = new Packages({
    folder: home,
    catalogue,
    fetch: async (source, options) => {
      await hooks.fetch?.(source, options);
      const into = join(options.into, 'package');
      await cp(source.location, into, { recursive: true });
      options.onProgress({ entriesDone: 2, bytesDone: 20 });
      return { folder: into, commit: null, notes: [], ...hooks.fetched?.(source) };
    },
    check: (path, options) => (hooks.check ?? checkByLoading)(path, options),
    prepare: (script, waiter) =>
      hooks.prepare?.(script, waiter) ?? Promise.resolve({ kind: 'none' as const }),
    isInUse: (id, path) => hooks.isInUse?.(id, path) ?? false,
    parseSource: (text, { ref, path } = {}) => {
      if (!text.startsWith('/'))
        throw new AppError('package-source-invalid', {
          en: `not absolute: ${text}`,
          zh: `不是绝对路径: ${text}`,
        });
      return { kind: 'folder', location: text, ref: ref ?? null, path: path ?? null };
    },
    env: {},
    clock: systemClock,
    log: await createLogger('silent'),
  });
  onTestFinished(() => packages.close());
  return { packages, catalogue, folder: home };
}

export const checkByLoading: PackagesOptions['check'] = async (folder) => {
  const loaded = await loadFolder(folder);
  if (loaded === null) return { script: null, problems: [] };
  return loaded.kind === 'script'
    ? { script: loaded.script, problems: loaded.notes }
    : { script: null, problems: loaded.problems };
};

export interface SampleOptions {
  id?: string;
  version?: string;
  /** The text that the entry prints. */
  says?: string;
  isBroken?: boolean;
}

/** Writes a script folder that can be installed. */
export async function samplePackage(
  options: SampleOptions = {},
): Promise<{ id: string; source: PackageSource }> {
  const location = join(await tempFolder(), '样品 🎁');
  const id = options.id ?? randomUUID();
  await writeSample(location, { ...options, id });
  return { id, source: folderSource(location) };
}

export function folderSource(location: string): PackageSource {
  return { kind: 'folder', location, ref: null, path: null };
}

export async function writeSample(folder: string, options: SampleOptions & { id: string }): Promise<void> {
  const { id, version = '1.0.0', says = 'hello', isBroken = false } = options;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'main.sh'), `echo ${says}\n`);
  await writeFile(
    join(folder, 'script.toml'),
    `[service.info]\nid = "${id}"\nname = "Sample"\nversion = "${version}"\n\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n${isBroken ? 'timeout = "soon"\n' : ''}`,
  );
}

/** Resolves when an operation has ended. */
export function endOf(packages: Packages, { id }: { id: string }): Promise<OperationView> {
  return new Promise((resolve) => {
    const look = (view: OperationView | null) => {
      if (view === null || view.id !== id || view.state === 'running') return;
      unsubscribe();
      resolve(view);
    };
    const unsubscribe = packages.progress.subscribe(look);
    look(packages.find(id));
  });
}

/** The contents of the package folder: by package, the current version, the previous one, and all version folders. */
export async function stateOf(folder: string): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  for (const name of await readdir(folder).catch(() => [])) {
    if (!(await stat(join(folder, name))).isDirectory()) continue;
    const inside = (await readdir(join(folder, name))).sort();
    if (name === '.staging') {
      if (inside.length > 0) seen[name] = inside;
      continue;
    }
    const text = await readFile(join(folder, name, 'installed.json'), 'utf8').catch(() => 'null');
    const { current = null, previous = null } = JSON.parse(text) ?? {};
    seen[name] = { current, previous, folders: inside.filter((each) => each !== 'installed.json') };
  }
  return seen;
}
