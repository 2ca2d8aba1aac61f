import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll } from 'vitest';

import { executorPid, type Hob, launchHob, untilGone } from './hob.ts';
import { type ScriptOptions, writeScript } from './scripts.ts';
import { until } from './until.ts';

/** One service for the tests of a file that neither restart nor configure it. */
export interface SharedService {
  readonly hob: Hob;
  /** The folder of its scripts. */
  readonly scripts: string;
  /** Adds a script with a new name, waits until the service knows it, and returns its id. */
  add(name: string, options?: ScriptOptions): Promise<string>;
}

/** Starts the service before the first test of the file, and stops it after the last. */
export function shareService(settings = ''): SharedService {
  let shared: { base: string; hob: Hob; executor: number } | undefined;
  const current = () => {
    if (shared === undefined) throw new Error('the service does not run');
    return shared;
  };
  beforeAll(async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'hob-test-')));
    const [home, scripts] = [join(base, 'home'), join(base, 'scripts')];
    for (const folder of [home, scripts]) await mkdir(folder);
    const hob = await launchHob({ home, scripts: [scripts], settings });
    shared = { base, hob, executor: await executorPid(home) };
  });
  afterAll(async () => {
    if (shared === undefined) return;
    const { base, hob, executor } = shared;
    await hob.stop();
    await untilGone(executor);
    await rm(base, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    get hob() {
      return current().hob;
    },
    get scripts() {
      return join(current().base, 'scripts');
    },
    async add(name, options) {
      const { base, hob } = current();
      const id = await writeScript(join(base, 'drafts'), name, options);
      // Moved into place whole: the service may need seconds to notice files that are written into a new folder.
      await rename(join(base, 'drafts', name), join(base, 'scripts', name));
      await until(`${name} is known`, async () => (await hob.get(`/api/scripts/${id}`)).status === 200);
      return id;
    },
  };
}
