import type { JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { formatBytes, formatCount, formatMinute } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';

const columns = [
  { title: 'KEY' },
  { title: 'KIND' },
  { title: 'SIZE', isNumber: true },
  { title: 'USED' },
  { title: 'STATE' },
  { title: 'SCRIPTS' },
];
const shownKey = 12;
const shortestPrefix = 4;

/** The answer to GET /api/environments as a person reads it. */
export function describeEnvironments({ items }: JsonObject, lineWidth?: number): string {
  const environments = objectsIn(items);
  if (environments.length === 0)
    return 'There are no environments yet: they are made when a script that needs one is installed or run.\n';
  const lines = formatTable(columns, environments.map(rowOf), lineWidth);
  const bytes = environments.reduce((sum, { bytes: own }) => sum + (numberOf(own) ?? 0), 0);
  const unused = environments.filter(({ scripts }) => objectsIn(scripts).length === 0).length;
  const sum = `${formatCount(environments.length, 'environment')}, ${formatBytes(bytes)}`;
  return `${[...lines, '', unused === 0 ? sum : `${sum}; no script needs ${unused} of them`].join('\n')}\n`;
}

function rowOf(environment: JsonObject): string[] {
  const scripts = objectsIn(environment.scripts).map(({ name }) => textOf(name) ?? '');
  return [
    (textOf(environment.key) ?? '').slice(0, shownKey),
    textOf(environment.kind) ?? '',
    formatBytes(numberOf(environment.bytes) ?? 0),
    formatMinute(textOf(environment.used_at)),
    textOf(environment.state) ?? '',
    scripts.join(', ') || '-',
  ];
}

/** The key that begins like this. */
export function pickKey({ items }: JsonObject, wanted: string): string {
  const keys = objectsIn(items).map(({ key }) => textOf(key) ?? '');
  const lower = wanted.toLowerCase();
  const found = keys.filter(
    (key) => key === wanted || (lower.length >= shortestPrefix && key.startsWith(lower)),
  );
  const [only, ...others] = found;
  const shown = printable(wanted);
  if (only === undefined)
    throw new UserError(`No environment has a key that begins with "${shown}". hob environments lists them.`);
  if (others.length > 0) throw new UserError(`Several keys begin with "${shown}": ${found.join(', ')}`);
  return only;
}
