import type { JsonObject } from '../../shared/json.ts';
import { isJsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { shortId } from '../pick-script.ts';
import { paint } from '../terminal/paint.ts';
import { formatTable } from '../terminal/table.ts';
import { formatRunDuration, paintState, readRun, type ShownRun, stateWord } from './run-record.ts';

interface Branch {
  /** Tree lines before the name. */
  readonly lines: string;
  readonly run: ShownRun;
}

/** Draws the response of GET /api/runs/<id>/tree: parents and children with state and duration. */
export function drawTree(tree: JsonObject, lineWidth?: number): string {
  const branches = isJsonObject(tree.root) ? branchesOf(tree.root, '', '') : [];
  const ids = branches.map(({ run }) => run.id);
  const asked = textOf(tree.run_id);
  const columns = [
    { title: tr('SCRIPT', '脚本') },
    { title: tr('STATE', '状态'), paint: (text: string) => paintState(text) },
    { title: tr('DURATION', '耗时'), isNumber: true },
    { title: tr('RUN', '运行') },
    { title: '', paint: (text: string) => paint('bold', text) },
  ];
  const rows = branches.map(({ lines, run }) => [
    lines + run.scriptName,
    stateWord(run),
    formatRunDuration(run.durationMs),
    shortId(run.id, ids),
    run.id === asked && branches.length > 1 ? tr('<- this run', '<- 此运行') : '',
  ]);
  const notes =
    tree.complete === false
      ? [
          '',
          tr(
            'The tree is incomplete. To see more of it, run hob tree with a run at the end of a branch.',
            '树未显示完整：可对边缘的运行再次使用 hob tree。',
          ),
        ]
      : [];
  return `${[...formatTable(columns, rows, lineWidth), ...notes].join('\n')}\n`;
}

/** `lead` is the prefix of the node itself, `below` the prefix of its children. */
function branchesOf(node: JsonObject, lead: string, below: string): Branch[] {
  const children = objectsIn(node.children);
  const further = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return branchesOf(child, below + (isLast ? '└─ ' : '├─ '), below + (isLast ? '   ' : '│  '));
  });
  return [{ lines: lead, run: readRun(node) }, ...further];
}
