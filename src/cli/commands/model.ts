import type { Command } from 'commander';

import { cancelDownload } from '../model/cancel-download.ts';
import { findModel } from '../model/find-model.ts';
import { describeModels } from '../model/list-models.ts';
import { type PullOptions, pull } from '../model/pull.ts';
import { describeRemoval, removeModel } from '../model/remove-model.ts';
import { checkRepoId } from '../model/repo-argument.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { printJson } from '../terminal/print-json.ts';

interface RemoveOptions extends CommonOptions {
  place?: string;
  yes?: boolean;
  dryRun?: boolean;
}

export function configure(command: Command): void {
  strictUsage(command);
  command.helpCommand(false).addHelpText('after', exitCodesText);

  command
    .command('list')
    .description('the models on this machine, and those that scripts need')
    .option(...homeOption)
    .option(...jsonOption)
    .action(async (options: CommonOptions) => {
      const answer = await (await ServiceClient.find(options.home)).get('/api/models');
      const { isTTY, columns } = process.stdout;
      if (options.json === true) printJson(answer);
      else print(describeModels(answer, isTTY ? columns : undefined));
    });

  command
    .command('path')
    .description('print the folder of a model, and nothing else')
    .argument('<repo>', 'owner/name', checkRepoId)
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', pathExamples)
    .action(async (repo: string, options: CommonOptions) => {
      const answer = await findModel(await ServiceClient.find(options.home), repo);
      if (options.json === true) printJson(answer);
      else print(`${answer.path}\n`);
    });

  command
    .command('pull')
    .description('download a model, or all that a script needs, and show how far it is')
    .argument('[repo]', 'owner/name', checkRepoId)
    .option(
      '--source <source>',
      'huggingface or modelscope (default: what scripts declare, else huggingface)',
    )
    .option('--files <glob...>', 'only files that fit one of these (default: what scripts declare, else all)')
    .option('--revision <revision>', 'a branch, tag or commit (default: what the source takes)')
    .option('--for <script>', 'get all models that this script declares and that are missing; its id or name')
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', pullExamples)
    .action((repo: string | undefined, options: PullOptions) => pull(repo, options));

  command
    .command('cancel')
    .description('stop the download of a model; what is there already is kept')
    .argument('<repo>', 'owner/name', checkRepoId)
    .option(...homeOption)
    .action(async (repo: string, options: CommonOptions) => {
      print(await cancelDownload(await ServiceClient.find(options.home), repo));
    });

  command
    .command('rm')
    .description('delete a model, after saying what that frees')
    .argument('<repo>', 'owner/name', checkRepoId)
    .option('--place <place>', 'own, huggingface, modelscope or extra, where there are several copies')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only say what would be deleted')
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', removeExamples)
    .action(async (repo: string, { place, yes, dryRun, home, json }: RemoveOptions) => {
      const client = await ServiceClient.find(home);
      const isTrial = dryRun === true;
      const answer = await removeModel(client, repo, { place, isSure: yes === true, isTrial });
      if (json === true) printJson(answer);
      else print(describeRemoval(answer, isTrial));
    });
}

function print(text: string): void {
  process.stdout.write(text);
}

const pathExamples = `
Example: python recognise.py "$(hob model path openai/whisper-tiny)"
Exits with 1 when the model is not there, or only a part of it.`;

const pullExamples = `
Examples:
  hob model pull openai/whisper-tiny
  hob model pull acme/detector --files "*.onnx" config.json
  hob model pull acme/detector --source modelscope --revision v1.0
  hob model pull --for "Resize images"

The service downloads; this command shows how far it is. Ctrl-C stops the download, unless somebody else began it. What is there
already is kept: the same command goes on from there.`;

const removeExamples = `
Examples:
  hob model rm openai/whisper-tiny --dry-run
  hob model rm openai/whisper-tiny --yes`;
