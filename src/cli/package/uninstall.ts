import type { JsonObject } from '../../shared/json.ts';
import type { ServiceClient } from '../service-client.ts';
import { confirm } from '../terminal/confirm.ts';
import { printable } from '../terminal/text-width.ts';
import type { InstalledPackage } from './installed.ts';

/** Takes a package away, after a look at what that means. Returns the answer of the service. */
export async function uninstall(
  client: ServiceClient,
  target: InstalledPackage,
  { isSure }: { isSure: boolean },
): Promise<JsonObject> {
  if (!isSure)
    await confirm({
      text: `${describeLoss(target)}\nUninstall it? [y/N] `,
      withoutTerminal: 'Nothing was uninstalled: there is no terminal to ask on. Say --yes to uninstall.',
      onNo: 'Nothing was uninstalled.',
    });
  return client.delete(`/api/packages/${encodeURIComponent(target.id)}`);
}

export function describeUninstalled({ name, version }: InstalledPackage, answer: JsonObject): string {
  const kept =
    answer.kept_for_runs === true ? ' Its files stay until the runs that use them have ended.' : '';
  return `Uninstalled ${printable(version === null ? name : `${name} ${version}`)}.${kept}\n`;
}

function describeLoss({ id, name, version, previousVersion }: InstalledPackage): string {
  const title = version === null ? name : `${name} ${version}`;
  const previous = previousVersion === null ? '' : `, and with it the version before (${previousVersion})`;
  return printable(
    `${title} (${id}) is removed${previous}. A run in flight keeps its files until it has ended; records of runs stay.`,
  );
}
