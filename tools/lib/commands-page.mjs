/** Prints docs/commands.md, or its Chinese version if the environment selects Chinese, from the definitions of the commands. */
const { buildProgram } = await import('../../build/cli/program.js');
const { tr } = await import('../../build/cli/language.js');

const program = await buildProgram(() => true);
const help = program.createHelp();
const lines = [
  tr('# The command', '# 命令'),
  '',
  tr(
    'All commands of `hob`. `hob <command> --help` prints the same text in a terminal, in the language of your system.',
    '`hob` 的全部命令。在终端里用 `hob <命令> --help` 可以看到同样的内容，语言随系统而定。',
  ),
];
for (const command of help.visibleCommands(program)) lines.push(...sectionOf(command, 2));
lines.push(
  '',
  `<!-- ${tr('Generated from src/cli/commands.ts. Run `npm run generate` after a change.', '由 src/cli/commands.ts 生成。修改后请运行 `npm run generate`。')} -->`,
);
process.stdout.write(`${lines.join('\n')}\n`);

function sectionOf(command, level) {
  const inside = help.visibleCommands(command);
  return [
    '',
    `${'#'.repeat(level)} ${nameOf(command)}`,
    '',
    sentence(command.description()),
    '',
    '```text',
    help.commandUsage(command),
    '```',
    ...tableOf(
      tr('argument', '参数'),
      command.registeredArguments.map((argument) => [
        help.argumentTerm(argument),
        help.argumentDescription(argument),
      ]),
    ),
    ...tableOf(
      tr('option', '选项'),
      help.visibleOptions(command).map((option) => [help.optionTerm(option), help.optionDescription(option)]),
    ),
    ...remarkOf(command),
    ...inside.flatMap((each) => sectionOf(each, level + 1)),
  ];
}

function nameOf(command) {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function tableOf(title, rows) {
  if (rows.length === 0) return [];
  return [
    '',
    `| ${title} | ${tr('meaning', '说明')} |`,
    '|---|---|',
    ...rows.map(([term, meaning]) => `| \`${cell(term)}\` | ${cell(meaning).replaceAll('<', '&lt;')} |`),
  ];
}

/** Examples and other text below the help. The library can only print it, after the rest. */
function remarkOf(command) {
  let whole = '';
  command.configureOutput({ writeOut: (text) => (whole += text) }).outputHelp();
  const remark = whole.slice(command.helpInformation().length).trim();
  return remark === '' ? [] : ['', '```text', remark, '```'];
}

function sentence(text) {
  return /[.。]$/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}${tr('.', '。')}`;
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
