import type { JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { formatBytes, formatCount } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';

const columns = [
  { title: tr('MODEL', '模型') },
  { title: tr('PLACE', '位置') },
  { title: tr('SIZE', '大小'), isNumber: true },
  { title: tr('STATE', '状态') },
  { title: tr('NEEDED BY', '需要它的脚本') },
];
const states: Readonly<Record<string, string>> = {
  complete: tr('complete', '完整'),
  partial: tr('partial', '不完整'),
  missing: tr('missing', '缺失'),
};

/** Formats the response of GET /api/models. */
export function describeModels({ items }: JsonObject, lineWidth?: number): string {
  const models = objectsIn(items);
  if (models.length === 0)
    return tr(
      'There are no models yet. To download one: hob model pull <owner>/<name>\n',
      '还没有模型。下载一个：hob model pull <owner>/<name>\n',
    );
  const lines = formatTable(columns, models.map(rowOf), lineWidth);
  const missing = models.filter(({ state }) => state === 'missing').length;
  const bytes = models.reduce((sum, model) => sum + (numberOf(model.size_bytes) ?? 0), 0);
  const here = models.length - missing;
  const size = formatBytes(bytes);
  const sum = tr(`${formatCount(here, 'model')}, ${size}`, `${here} 个模型，共 ${size}`);
  const lack = missing === 0 ? '' : tr(`; ${missing} missing`, `；缺少 ${missing} 个`);
  return `${[...lines, '', sum + lack].join('\n')}\n`;
}

function rowOf(model: JsonObject): string[] {
  const state = textOf(model.state) ?? '';
  const isMissing = state === 'missing';
  // A model can have several copies; scripts use only one of them.
  const isSpare = state === 'complete' && model.is_used === false;
  const scripts = objectsIn(model.needed_by).map(({ script_name }) => textOf(script_name) ?? '');
  return [
    textOf(model.repo_id) ?? '',
    isMissing ? '-' : (textOf(model.place) ?? ''),
    isMissing ? '-' : formatBytes(numberOf(model.size_bytes) ?? 0),
    isSpare ? tr('complete, not used', '完整，未使用') : (states[state] ?? state),
    scripts.join(', '),
  ];
}
