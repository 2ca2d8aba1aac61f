import type { JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { curlOf } from '../run/curl-of.ts';
import { runLine } from '../run/run-line.ts';
import { readScript } from '../run/script-shape.ts';
import type { ServiceClient } from '../service-client.ts';
import { problemLines } from '../terminal/problem-lines.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import type { InstalledPackage } from './installed.ts';
import { type Operation, readOperation, titleOf } from './operation.ts';

const verbs: Readonly<Record<string, string>> = {
  install: tr('installed', '安装'),
  update: tr('updated', '更新'),
  rollback: tr('rolled back', '回退'),
  prepare: tr('prepared', '准备'),
};

/** Prints the problems and warnings of a finished operation to stderr. Throws if the operation failed. */
export function checkEnd(answer: JsonObject, subject: string): Operation {
  const operation = readOperation(answer);
  const { kind, state, warnings, problems, error } = operation;
  if (problems.length > 0) process.stderr.write(`${problemLines(problems, process.stderr).join('\n')}\n`);
  // Skip warnings that repeat a problem listed above.
  const others = warnings.filter((warning) => !problems.some(({ message }) => warning.includes(message)));
  for (const warning of others) process.stderr.write(tr(`Note: ${warning}\n`, `提示：${warning}\n`));
  if (state === 'done') return operation;
  const title = titleOf(operation, subject);
  const done = verbs[kind] ?? tr('changed', '更改');
  if (state === 'failed')
    throw new UserError(
      tr(
        `${title} could not be ${done}: ${error ?? 'unknown reason.'}`,
        `${title} ${done}失败：${error ?? '原因不明。'}`,
      ),
    );
  throw new UserError(
    tr(
      `${title} was not ${done}: another client cancelled the operation.`,
      `${title} 未能${done}：操作被别人停止了。`,
    ),
  );
}

/** The message after an installation, with the commands that run the script. */
export async function describeInstalled(client: ServiceClient, operation: Operation): Promise<string> {
  const { scriptId } = operation;
  const id = scriptId ?? '';
  const title = titleOf(operation, id);
  const lines = [
    tr(`Installed ${title} (id ${id})`, `已安装 ${title}，ID 为 ${id}`),
    ...(await waysToRun(client, id)),
  ];
  return `${lines.join('\n')}\n`;
}

export function describeUpdated(
  operation: Operation,
  before: InstalledPackage,
  after: InstalledPackage | undefined,
): string {
  const { scriptName, version, scriptId } = operation;
  const name = scriptName ?? printable(before.name);
  const now = version ?? tr('the current version', '当前版本');
  // An up-to-date package is not installed again.
  const isChanged = after?.installedAt !== before.installedAt || after?.version !== before.version;
  const old = before.version === null ? null : printable(before.version);
  if (!isChanged)
    return tr(
      `${name} is unchanged${old === null ? '' : ` at ${old}`}.\n`,
      `${name} 保持${old === null ? '不变' : `在 ${old}`}。\n`,
    );
  const was = old === null ? '' : tr(` (was ${old})`, `（原为 ${old}）`);
  const what =
    version === before.version
      ? tr(`Updated ${name}. The version is still ${now}.`, `已更新 ${name}，版本仍为 ${now}。`)
      : tr(`Updated ${name} to ${now}${was}.`, `已将 ${name} 更新到 ${now}${was}。`);
  // A package with a damaged record has no previous version.
  return after?.canRollBack === true
    ? `${what}\n${tr('To roll back: ', '如需回退：')}hob rollback ${scriptId ?? before.id}\n`
    : `${what}\n`;
}

export function describeRolledBack(operation: Operation): string {
  const { scriptName, version, scriptId } = operation;
  const name = scriptName ?? scriptId ?? '';
  return tr(
    `Rolled back ${name} to ${version ?? 'the previous version'}. Another rollback returns to the newer version.\n`,
    `${name} 已回退到 ${version ?? '之前的版本'}。再次回退会回到较新的版本。\n`,
  );
}

export function describePrepared(operation: Operation, subject: string): string {
  const title = titleOf(operation, subject);
  return operation.runId === null
    ? tr(`${title} is ready. There was nothing to prepare.\n`, `${title} 所需的一切都已就绪。\n`)
    : tr(`The environment of ${title} is ready.\n`, `${title} 的运行环境已准备好。\n`);
}

/** The commands that run a script, to be copied into a shell. */
async function waysToRun(client: ServiceClient, scriptId: string): Promise<string[]> {
  try {
    const script = readScript(await client.get(`/api/scripts/${encodeURIComponent(scriptId)}`));
    return [
      `${tr('Run it: ', '运行：')}${runLine(script)}`,
      `${tr('Over HTTP: ', '或者：')}${curlOf(client, script)}`,
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // These lines are optional: the script is installed.
    return [];
  }
}
