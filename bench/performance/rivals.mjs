import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { targetOf } from './load.mjs';
import { expectedText } from './programs.mjs';
import { idOf, withHob, writeParameters } from './scene.mjs';
import { startWebhook } from './webhook.mjs';

/**
 * Starts Hob and webhook, if it is here, so that both run the same script by the same command, and stops them afterwards. `targets` is
 * what is called: Hob first.
 */
export function withRivals(name, program, scene, use) {
  const { folder, interpreters, hasWebhook } = scene;
  return withHob(folder, [{ id: idOf(1), name, ...program }], '', async (hob) => {
    const peerFolder = mkdtempSync(join(folder, 'peer-'));
    const cwd = join(hob.home, 'scripts', name);
    const args = [join(cwd, program.entry), writeParameters(peerFolder)];
    const command = { file: interpreters[program.language], args, cwd };
    const targets = [hob.runTarget(idOf(1))];
    if (!hasWebhook) return use({ hob, webhook: null, targets, command });
    const webhook = await startWebhook(peerFolder, { [name]: command });
    try {
      targets.push(targetOf(webhook.urlOf(name), { body: {}, expected: expectedText }));
      return await use({ hob, webhook, targets, command });
    } finally {
      await webhook.stop();
    }
  });
}
