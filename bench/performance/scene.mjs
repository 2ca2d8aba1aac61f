import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startService } from '../support/service.mjs';
import { targetOf } from './load.mjs';
import { expectedText, writeScript } from './programs.mjs';
import { Watch } from './watch.mjs';

/** A script id made from a number. */
export function idOf(number) {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-a000-000000000000`;
}

/** Starts Hob on a new home with these scripts, calls `use`, and stops it. `env` has further variables for Hob. */
export async function withHob(folder, scripts, settings, use, env = {}) {
  const hob = await startHob(folder, scripts, settings, env);
  try {
    return await use(hob);
  } finally {
    await hob.stop();
  }
}

async function startHob(folder, scripts, settings, env) {
  const home = mkdtempSync(join(folder, 'home-'));
  for (const script of scripts) writeScript(join(home, 'scripts'), script);
  const service = await startService(home, settings, env);
  const watch = new Watch(service);
  const caller = service.caller();
  return {
    ...service,
    home,
    watch,
    call: (path, body) => caller.json(path, body),
    text: (path) => caller.text(path),
    /** A call that runs a script and waits for it. */
    runTarget: (id, params = {}) =>
      targetOf(`${service.url}/api/execute`, {
        body: { script_id: id, sync: true, params },
        expected: expectedText,
      }),
    async stop() {
      caller.close();
      watch.close();
      await service.stop();
    },
  };
}

/**
 * Finds the interpreters that Hob uses, by scripts that print their own interpreter. The program on PATH may be a wrapper, and both
 * services must start the same file.
 */
export function findInterpreters(folder) {
  const asked = {
    sh: ['sh', 'main.sh', `tr '\\0' '\\n' < /proc/$$/cmdline\n`],
    python: ['python', 'main.py', 'import sys\nprint(sys.executable)\n'],
    'node.js': ['node.js', 'main.cjs', 'console.log(process.execPath)\n'],
  };
  const scripts = Object.values(asked).map(([language, entry, text], at) => ({
    id: idOf(at),
    name: language,
    language,
    entry,
    text,
  }));
  return withHob(folder, scripts, '', async (hob) => {
    const found = {};
    for (const { id, language } of scripts) {
      const { success, stdout, message } = await hob.call('/api/execute', { script_id: id, sync: true });
      if (!success) throw new Error(`Hob cannot run ${language} here: ${message}`);
      found[language] = stdout.split('\n')[0];
    }
    return found;
  });
}

/** Writes a parameter file like Hob's, to run a script without Hob. */
export function writeParameters(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'params.json');
  const environment = { output_json: join(folder, 'result.json'), encoding: 'utf-8' };
  writeFileSync(file, JSON.stringify({ environment, data: {}, params: {} }, null, 2));
  return file;
}
