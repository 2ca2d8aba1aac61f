import type { Command } from 'commander';

import type { RunTree, TreeNode } from '../../contract/types.ts';
import { durationText, paintState, stateWord } from '../describe-run.ts';
import { pathOfRun, pickRun, runOrLastArguments } from '../find-run.ts';
import { shortId } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printAnswer } from '../terminal/print.ts';
import { type Column, formatTable, printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, { ...runOrLastArguments, ...homeOption, ...jsonOption })
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, script: string | undefined, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { run_id } = await pickRun(client, wanted, script);
      printAnswer(await client.get<RunTree>(`${pathOfRun(run_id)}/tree`), json, drawTree);
    });
}

/** Draws the response of GET /api/runs/<id>/tree: parents and children with state and duration. */
function drawTree(tree: RunTree, lineWidth?: number): string {
  const branches = branchesOf(tree.root, '', '');
  const ids = branches.map(({ run }) => run.run_id);
  const markOf = ({ run_id }: TreeNode) =>
    run_id === tree.run_id && branches.length > 1 ? tr('<- this run', '<- 此运行') : '';
  const columns: readonly Column<(typeof branches)[number]>[] = [
    [tr('SCRIPT', '脚本'), ({ lines, run }) => lines + printable(run.script_name)],
    [tr('STATE', '状态'), ({ run }) => stateWord(run), { paint: (text) => paintState(text) }],
    [tr('DURATION', '耗时'), ({ run }) => durationText(run), { isNumber: true }],
    [tr('RUN', '运行'), ({ run }) => shortId(run.run_id, ids)],
    ['', ({ run }) => markOf(run), { paint: (text) => paint('bold', text) }],
  ];
  const notes = tree.complete
    ? []
    : [
        '',
        tr(
          'The tree is incomplete. To see more of it, run hob tree with a run at the end of a branch.',
          '树未显示完整：可对边缘的运行再次使用 hob tree。',
        ),
      ];
  return `${[...formatTable(branches, columns, lineWidth), ...notes].join('\n')}\n`;
}

/** The runs with the tree lines before them. `lead` are the lines of the node itself, `below` those of its children. */
function branchesOf(node: TreeNode, lead: string, below: string): { lines: string; run: TreeNode }[] {
  const { children } = node;
  const further = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return branchesOf(child, below + (isLast ? '└─ ' : '├─ '), below + (isLast ? '   ' : '│  '));
  });
  return [{ lines: lead, run: node }, ...further];
}
