import { Argument, type Command } from 'commander';

import { type Shell, shellScripts, shells } from '../completion/shell-scripts.ts';
import { tr } from '../language.ts';
import { strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .addArgument(new Argument('<shell>', tr('shell to print the script for', '哪种 shell')).choices(shells))
    .addHelpText('after', examples)
    .action((shell: Shell) => {
      process.stdout.write(shellScripts[shell]);
    });
}

const examples = tr(
  `
Add one of these lines to the startup file of your shell:
  bash  ~/.bashrc                    source <(hob completion bash)
  zsh   ~/.zshrc, after compinit     source <(hob completion zsh)
  fish  ~/.config/fish/config.fish   hob completion fish | source

The shell then asks hob for completions: commands, options, and the scripts, runs and models of the running service.`,
  `
把对应的一行写进 shell 的配置文件：
  bash  ~/.bashrc                    source <(hob completion bash)
  zsh   ~/.zshrc，放在 compinit 之后   source <(hob completion zsh)
  fish  ~/.config/fish/config.fish   hob completion fish | source

shell 会询问 hob 接下来可以输入什么：命令、选项，以及正在运行的服务里的脚本、运行记录和模型。`,
);
