import { Command, CommanderError } from 'commander';

import { readVersion } from '../shared/version.ts';
import { subcommands } from './commands.ts';
import { UserError } from './user-error.ts';

/** The `hob` command. */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('hob')
    .description('Runs the scripts on this machine, for any program that asks over HTTP.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('(hob --help shows what there is)')
    .exitOverride();

  const called = argv.find((argument) => !argument.startsWith('-'));
  for (const subcommand of subcommands) {
    const command = program.command(subcommand.name).description(subcommand.summary).exitOverride();
    if (subcommand.name === called) (await subcommand.load()).configure(command);
  }
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`hob: ${error.message}\n`);
    return 1;
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`hob: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  },
);
