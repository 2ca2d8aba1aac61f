import { mkdtempSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { targetOf } from './load.mjs';
import { expectedText, smallProgram } from './programs.mjs';
import { idOf, withHob, writeParameters } from './scene.mjs';
import { startWebhook } from './webhook.mjs';

/**
 * Starts Hob and, if available, webhook, so that both run the same scripts with the same commands, and stops them afterwards. `targets` are the
 * requests to measure, Hob first. `smallTargets` run the smallest script, to warm up a service independently of the measured script.
 */
export function withRivals(name, program, scene, use) {
  const { folder, interpreters, hasWebhook } = scene;
  const programs = [
    { id: idOf(1), name, ...program },
    { id: idOf(2), name: 'small', ...smallProgram },
  ];
  const { interpreter, settings = '' } = program;
  // Hob uses the first interpreter on PATH.
  const env =
    interpreter === undefined
      ? {}
      : { PATH: [dirname(interpreter), process.env.PATH].filter(Boolean).join(delimiter) };
  const compare = async (hob) => {
    const peerFolder = mkdtempSync(join(folder, 'peer-'));
    const parameters = writeParameters(peerFolder);
    const commands = {};
    for (const { name, language, entry, interpreter = interpreters[language] } of programs) {
      const cwd = join(hob.home, 'scripts', name);
      commands[name] = { file: interpreter, args: [join(cwd, entry), parameters], cwd };
    }
    const command = commands[name];
    const [targets, smallTargets] = programs.map(({ id }) => [hob.runTarget(id)]);
    if (!hasWebhook) return use({ hob, webhook: null, targets, smallTargets, command });
    const webhook = await startWebhook(peerFolder, commands);
    try {
      const peerTarget = (name) => targetOf(webhook.urlOf(name), { body: {}, expected: expectedText });
      targets.push(peerTarget(name));
      smallTargets.push(peerTarget('small'));
      return await use({ hob, webhook, targets, smallTargets, command });
    } finally {
      await webhook.stop();
    }
  };
  return withHob(folder, programs, settings, compare, env);
}
