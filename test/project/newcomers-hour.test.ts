import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Hob, launchHob, runCli } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const caller = '0c3f5b1e-6a52-4b64-9d0a-5f0e6b8a1c07';
const languages = ['python', 'node', 'typescript', 'bash', 'powershell'] as const;
const isHere: Record<(typeof languages)[number], boolean> = {
  python: has('python3', findProgram('python3') !== null),
  node: true,
  typescript: true,
  bash: has('bash', findProgram('bash') !== null),
  powershell: has('pwsh', findProgram('pwsh') !== null),
};
const hasCurl = has('curl', findProgram('curl') !== null);

/** The first hour of a new user: the whole life of a script, in each language. */
describe('a newcomer', () => {
  let root: string;
  let own: Hob;
  let elsewhere: Hob;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'hob-newcomer-'));
    for (const name of ['own', 'elsewhere', 'work']) await mkdir(join(root, name), { mode: 0o700 });
    own = await launchHob({ home: join(root, 'own') });
    elsewhere = await launchHob({ home: join(root, 'elsewhere') });
  });
  afterAll(async () => {
    await Promise.all([own.stop(), elsewhere.stop()]);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Runs the command with one of the two homes. */
  async function hob(at: Hob, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runCli(args, { HOB_HOME: at.home }, { cwd: join(root, 'work') })
      .ended;
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  }

  it.each(languages.filter((each) => isHere[each]))(
    'creates, runs, links, packs and shares a %s script',
    async (language) => {
      const name = `Mein 脚本 (${language})`;
      const made = await hob(own, 'new', name, '--yes', '--lang', language, '--input', 'files', '--node');
      const folder = /(?<=^Created .+ in )\/.+$/m.exec(made)?.[0] ?? '';

      expect(await hob(own, 'check', folder)).toBe(`${name} 0.1.0: no errors.\n`);

      // With the printed commands: in a terminal and over HTTP.
      const sample = join(root, 'work', `${language}.txt`);
      await writeFile(sample, 'twelve bytes');
      await hob(own, 'run', name, sample, '-p', 'times=2');
      const line = /curl .+$/m.exec(made)?.[0] ?? '';
      if (hasCurl) {
        const { stdout } = await run('sh', ['-c', line]);
        expect(JSON.parse(stdout)).toMatchObject({ state: 'succeeded', result: { code: 0, total: 6 } });
      }

      const manifest = join(folder, 'script.toml');
      const id = /^id = "([^"]+)"/m.exec(await readFile(manifest, 'utf8'))?.[1] ?? '';
      await linkFrom(id, sample);

      const archive = join(root, `${language}.zip`);
      await hob(own, 'pack', folder, '-o', archive);
      await hob(elsewhere, 'install', archive);
      await hob(elsewhere, 'run', id, sample);
      expect(await versionOf(id)).toBe('0.1.0');

      await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"0.1.0"', '"0.2.0"'));
      await hob(own, 'pack', folder, '-o', archive, '--force');
      await hob(elsewhere, 'update', id);
      expect(await versionOf(id)).toBe('0.2.0');
      expect(JSON.parse(await hob(elsewhere, 'run', id, sample, '--json'))).toMatchObject({
        success: true,
        result: { code: 0, total: 12 },
      });

      await hob(elsewhere, 'uninstall', id, '--yes');
      const gone = await elsewhere.post('/api/execute', { script_id: id });
      expect(gone.status).toBe(404);
    },
  );

  /** Another script links the new one. */
  async function linkFrom(id: string, sample: string): Promise<void> {
    const folder = join(own.home, 'scripts', 'caller');
    const manifest = `[service.info]\nid = "${caller}"\nname = "caller"\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\nterminal = "never"\n`;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'main.sh'), `hob link ${id} '${sample}' --field total\nhob envelope ok\n`);
    await writeFile(join(folder, 'script.toml'), manifest);
    await until('the calling script is known', async () => (await scriptAt(own, caller)) !== undefined);
    expect((await hob(own, 'run', 'caller')).trim()).toBe('12');
  }

  async function versionOf(id: string): Promise<unknown> {
    return (await scriptAt(elsewhere, id))?.version;
  }
});

async function scriptAt(at: Hob, wanted: string) {
  const { scripts } = (await at.get('/api/scripts')).body;
  if (!Array.isArray(scripts)) throw new Error('no list of scripts');
  return scripts.find(({ id }) => id === wanted);
}
