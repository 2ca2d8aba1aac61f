import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { formatRunDuration, paintState, readRun, type ShownRun, stateWord } from '../describe-run.ts';
import { lastScriptArgument, pathOfRun, pickRun, runOrLastArgument } from '../find-run.ts';
import { shortId } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, strictUsage } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printJson } from '../terminal/print.ts';
import { formatTable } from '../terminal/table.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(...runOrLastArgument)
    .argument(...lastScriptArgument)
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, script: string | undefined, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { id } = readRun(await pickRun(client, wanted, script));
      const tree = await client.get(`${pathOfRun(id)}/tree`);
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(tree);
      else process.stdout.write(drawTree(tree, isTTY ? columns : undefined));
    });
}

interface Branch {
  /** Tree lines before the name. */
  readonly lines: string;
  readonly run: ShownRun;
}

/** Draws the response of GET /api/runs/<id>/tree: parents and children with state and duration. */
function drawTree(tree: JsonObject, lineWidth?: number): string {
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
