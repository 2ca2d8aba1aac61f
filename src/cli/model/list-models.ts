import type { JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { formatBytes, formatCount } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';

const columns = [
  { title: 'MODEL' },
  { title: 'PLACE' },
  { title: 'SIZE', isNumber: true },
  { title: 'STATE' },
  { title: 'NEEDED BY' },
];

/** The answer to GET /api/models as a person reads it. */
export function describeModels({ items }: JsonObject, lineWidth?: number): string {
  const models = objectsIn(items);
  if (models.length === 0) return 'There are no models yet. This gets one: hob model pull <owner>/<name>\n';
  const lines = formatTable(columns, models.map(rowOf), lineWidth);
  const missing = models.filter(({ state }) => state === 'missing').length;
  const bytes = models.reduce((sum, model) => sum + (numberOf(model.size_bytes) ?? 0), 0);
  const here = `${formatCount(models.length - missing, 'model')}, ${formatBytes(bytes)}`;
  return `${[...lines, '', missing === 0 ? here : `${here}; ${missing} missing`].join('\n')}\n`;
}

function rowOf(model: JsonObject): string[] {
  const state = textOf(model.state) ?? '';
  const isMissing = state === 'missing';
  // There may be several copies, and scripts are told of one.
  const isSpare = state === 'complete' && model.is_used === false;
  const scripts = objectsIn(model.needed_by).map(({ script_name }) => textOf(script_name) ?? '');
  return [
    textOf(model.repo_id) ?? '',
    isMissing ? '-' : (textOf(model.place) ?? ''),
    isMissing ? '-' : formatBytes(numberOf(model.size_bytes) ?? 0),
    isSpare ? 'complete, not used' : state,
    scripts.join(', '),
  ];
}
