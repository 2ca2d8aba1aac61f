import { createInterface } from 'node:readline/promises';

import type { JsonObject } from '../../shared/json.ts';
import type { ServiceClient } from '../service-client.ts';
import { formatBytes } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { numberOf, objectsIn, textOf } from './download.ts';

interface RemoveOptions {
  readonly place: string | undefined;
  readonly isSure: boolean;
  readonly isTrial: boolean;
}

/** Deletes a model, after a look at what that means. Returns the answer of the service. */
export async function removeModel(
  client: ServiceClient,
  repoId: string,
  { place, isSure, isTrial }: RemoveOptions,
): Promise<JsonObject> {
  const path = `/api/models/${repoId}`;
  const query = new URLSearchParams(place === undefined ? {} : { place });
  const trial = await client.delete(`${path}?${new URLSearchParams([...query, ['dry_run', 'true']])}`);
  if (isTrial) return trial;
  if (!isSure) await confirm(`${await describeLoss(client, repoId, trial)}\nDelete it? [y/N] `);
  return client.delete(query.size === 0 ? path : `${path}?${query}`);
}

export function describeRemoval({ folder, freed_bytes }: JsonObject, isTrial: boolean): string {
  const freed = formatBytes(numberOf(freed_bytes) ?? 0);
  const where = printable(textOf(folder) ?? '');
  return isTrial
    ? `Would delete ${where} and free ${freed}.\n`
    : `Deleted ${where}; ${freed} are free again.\n`;
}

/** What would go, and who would miss it. */
async function describeLoss(client: ServiceClient, repoId: string, trial: JsonObject): Promise<string> {
  const { items } = await client.get('/api/models');
  const model = objectsIn(items).find(
    ({ repo_id, needed_by }) => repo_id === repoId && needed_by !== undefined,
  );
  const scripts = objectsIn(model?.needed_by).map(({ script_name }) => textOf(script_name) ?? '');
  const needed = scripts.length === 0 ? '' : ` Needed by: ${scripts.join(', ')}.`;
  const freed = formatBytes(numberOf(trial.freed_bytes) ?? 0);
  return printable(`${repoId} in ${textOf(trial.folder) ?? ''} takes ${freed}.${needed}`);
}

async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError(
      'Nothing was deleted: there is no terminal to ask on. Say --yes to delete, or --dry-run to look first.',
      exitCodes.usage,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const given = await new Promise<string>((resolve, reject) => {
    terminal.question(question).then(resolve, reject);
    // Ctrl-C and Ctrl-D would leave the question open for ever, and its line.
    terminal.once('close', () => resolve('\n'));
  });
  terminal.close();
  if (given === '\n') process.stderr.write(given);
  if (!/^(?:y|yes|是)$/i.test(given.trim())) throw new UserError('Nothing was deleted.');
}
