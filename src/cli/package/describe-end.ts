import type { JsonObject } from '../../shared/json.ts';
import type { ServiceClient } from '../service-client.ts';
import { problemLines } from '../terminal/problem-lines.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import type { InstalledPackage } from './installed.ts';
import { type Operation, readOperation, titleOf } from './operation.ts';
import { runCommandOf } from './run-command-of.ts';

const verbs: Readonly<Record<string, string>> = {
  install: 'installed',
  update: 'updated',
  rollback: 'rolled back',
  prepare: 'prepared',
};

/** Says on stderr all that its user should know of an operation that has ended, and throws when it did not go well. */
export function judgeEnd(answer: JsonObject, subject: string): Operation {
  const operation = readOperation(answer);
  const { kind, state, warnings, problems, error } = operation;
  if (problems.length > 0) process.stderr.write(`${problemLines(problems, process.stderr).join('\n')}\n`);
  // What was said with its place need not be said again.
  const others = warnings.filter((warning) => !problems.some(({ message }) => warning.includes(message)));
  for (const warning of others) process.stderr.write(`Note: ${warning}\n`);
  if (state === 'done') return operation;
  const title = titleOf(operation, subject);
  if (state === 'failed')
    throw new UserError(`${title} could not be ${verbs[kind] ?? 'changed'}: ${error ?? 'nobody knows why.'}`);
  throw new UserError(`${title} was not ${verbs[kind] ?? 'changed'}: it was stopped by somebody else.`);
}

/** What is said of an installation that went well, with the way to run what is there now. */
export async function describeInstalled(client: ServiceClient, operation: Operation): Promise<string> {
  const { scriptId } = operation;
  const id = scriptId ?? '';
  return `Installed ${titleOf(operation, id)}, id ${id}\nRun it: ${await runCommandOf(client, id)}\n`;
}

export function describeUpdated(
  operation: Operation,
  before: InstalledPackage,
  after: InstalledPackage | undefined,
): string {
  const { scriptName, version, scriptId } = operation;
  const name = scriptName ?? printable(before.name);
  const now = version ?? 'what it is now';
  // What was the newest already is not installed again.
  const isChanged = after?.installedAt !== before.installedAt || after?.version !== before.version;
  if (!isChanged)
    return `${name} stays at ${before.version === null ? 'what it was' : printable(before.version)}.\n`;
  const was = before.version === null ? '' : ` (it was ${printable(before.version)})`;
  const what =
    version === before.version ? `Updated ${name}, still ${now}.` : `Updated ${name} to ${now}${was}.`;
  // Of a package whose record was damaged, nothing is there to return to.
  return after?.canReturn === true
    ? `${what}\nTo go back: hob rollback ${scriptId ?? before.id}\n`
    : `${what}\n`;
}

export function describeRolledBack(operation: Operation): string {
  const { scriptName, version, scriptId } = operation;
  return `${scriptName ?? scriptId ?? ''} is at ${version ?? 'the version before'} now. Another rollback goes forth again.\n`;
}

export function describePrepared(operation: Operation, subject: string): string {
  const title = titleOf(operation, subject);
  return operation.runId === null
    ? `All that ${title} needs is there already.\n`
    : `The environment of ${title} is ready.\n`;
}
