import { Command } from 'commander';
import { subcommands } from '../../build/cli/commands.js';
import { speakChinese } from '../../build/cli/program.js';

/** Prints the help of every command as JSON. One process for all commands is much faster than one process per command. */
const program = new Command('hob').helpOption('-h, --help', '帮助');
speakChinese(program);
// Hidden commands are for programs, not for people.
for (const { name, summary, load } of subcommands.filter(({ isHidden }) => isHidden !== true))
  (await load()).configure(program.command(name).description(summary));

const pages = [];
function visit(command, path) {
  let help = '';
  command.configureOutput({
    writeOut(text) {
      help += text;
    },
  });
  command.outputHelp();
  const texts = [
    [path, command.description()],
    ...command.options.map(({ flags, description }) => [`${path} ${flags}`, description]),
    ...command.registeredArguments.map((argument) => [`${path} ${argument.name()}`, argument.description]),
  ];
  pages.push({ path, texts, help });
  for (const each of command.commands) visit(each, `${path} ${each.name()}`);
}
for (const command of program.commands) visit(command, command.name());
process.stdout.write(JSON.stringify(pages));
