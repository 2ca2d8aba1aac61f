import type { JsonObject } from '../../shared/json.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatCount } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { carryOut } from './carry-out.ts';
import { describeUpdated, judgeEnd } from './describe-end.ts';
import { type InstalledPackage, listInstalled, pickInstalled } from './installed.ts';
import { sourceArgument } from './source-argument.ts';

export interface UpdateOptions {
  home?: string;
  json?: boolean;
  all?: boolean;
  from?: string;
  ref?: string;
  path?: string;
  prepare?: boolean;
}

/** `hob update`: one after the other; one that fails does not keep the others from being updated. */
export async function update(wanted: readonly string[], options: UpdateOptions): Promise<void> {
  const { all: isAll = false, from, ref, path, json: isJson = false } = options;
  if (isAll && wanted.length > 0) throw usage('Say which scripts to update, or --all, and not both.');
  if (isAll && [from, ref, path].some((value) => value !== undefined))
    throw usage('--from, --ref and --path are for one script, and not for --all.');
  if (wanted.length > 1 && [from, ref, path].some((value) => value !== undefined))
    throw usage('--from, --ref and --path are for one script, and not for several.');
  const client = await ServiceClient.find(options.home);
  const targets = await choose(client, wanted, isAll);
  const body = {
    ...(from !== undefined && { source: await sourceArgument(from) }),
    ...(ref !== undefined && { ref }),
    ...(path !== undefined && { path }),
    prepare: options.prepare !== false,
  };
  const [only] = targets;
  if (only !== undefined && targets.length === 1 && !isAll) {
    const answer = await updateOne(client, only, body);
    if (isJson) printJson(answer);
    await tellEnd(client, only, answer, isJson);
    return;
  }
  await updateAll(client, targets, { body, isJson });
}

async function choose(
  client: ServiceClient,
  wanted: readonly string[],
  isAll: boolean,
): Promise<InstalledPackage[]> {
  if (wanted.length === 0 && !isAll) throw usage(whichOnes(await listInstalled(client)));
  if (isAll) return listInstalled(client);
  const chosen: InstalledPackage[] = [];
  for (const each of wanted) chosen.push(await pickInstalled(client, each));
  return [...new Map(chosen.map((target) => [target.id, target])).values()];
}

function whichOnes(installed: readonly InstalledPackage[]): string {
  if (installed.length === 0) return 'Nothing is installed, so there is nothing to update.';
  const names = installed.map(({ name, id }) => `  ${id}  ${name}`).join('\n');
  return printable(`Say which scripts to update, or --all. Installed are:\n${names}`);
}

function updateOne(
  client: ServiceClient,
  { id, name }: InstalledPackage,
  body: JsonObject,
): Promise<JsonObject> {
  return carryOut(client, {
    path: `/api/packages/${encodeURIComponent(id)}/update`,
    body,
    subject: printable(name),
    onStop: `The update of ${printable(name)} was stopped. The version that was there stays.`,
  });
}

/** Says what has become of it; throws when it did not go well. */
async function tellEnd(
  client: ServiceClient,
  before: InstalledPackage,
  answer: JsonObject,
  isJson: boolean,
): Promise<void> {
  const operation = judgeEnd(answer, printable(before.name));
  if (isJson) return;
  const after = (await listInstalled(client)).find(({ id }) => id === before.id);
  process.stdout.write(describeUpdated(operation, before, after));
}

async function updateAll(
  client: ServiceClient,
  targets: readonly InstalledPackage[],
  { body, isJson }: { body: JsonObject; isJson: boolean },
): Promise<void> {
  const answers: JsonObject[] = [];
  let failed = 0;
  for (const target of targets) {
    try {
      const answer = await updateOne(client, target, body);
      answers.push(answer);
      await tellEnd(client, target, answer, isJson);
    } catch (error) {
      // Ctrl-C ends all of them.
      if (!(error instanceof UserError) || error.exitCode !== exitCodes.failed) throw error;
      failed++;
      process.stderr.write(`${error.message}\n`);
    }
  }
  if (isJson) printJson({ items: answers, next: null });
  if (failed > 0)
    throw new UserError(`${failed} of ${formatCount(targets.length, 'script')} could not be updated.`);
  if (targets.length === 0 && !isJson)
    process.stdout.write('Nothing is installed, so there is nothing to update.\n');
}

function usage(message: string): UserError {
  return new UserError(message, exitCodes.usage);
}
