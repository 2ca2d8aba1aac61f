import type { Command } from 'commander';

import { tr } from '../language.ts';
import { withSignature } from '../options.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<shell>': ['shell to print the script for', '哪种 shell', { choices: shells }],
  })
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

/** Scripts that make a shell call `hob complete`. They stay the same between versions: all logic is in `hob complete`. */
const shellScripts = {
  bash: `# Completion of hob for bash.
_hob() {
  local typed="\${COMP_WORDS[COMP_CWORD]}" quote= known= line value
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Readline splits --option=value and name=value at the equals sign.
  if [[ "$typed" == = ]]; then
    words+=("")
    typed=
  fi
  if (( \${#words[@]} > 2 )) && [[ "\${words[\${#words[@]}-2]}" == = ]]; then
    known="\${words[\${#words[@]}-3]}="
    words=("\${words[@]:0:\${#words[@]}-3}" "$known$typed")
  fi
  # Words come as typed, and a name with spaces may begin with a quote.
  [[ "$typed" == [\\"\\']* ]] && quote=\${typed:0:1}
  words=("\${words[@]//[\\"\\'\\\\]/}")
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    value=\${value#"$known"}
    [[ "$value" == *= ]] && compopt -o nospace
    case "$line" in
      :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$typed") ;;
      :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$typed") ;;
      # Names are untrusted: none may end the quote or run a command.
      *) case "$quote" in
           \\") value=\${value//\\\\/\\\\\\\\} value=\${value//\\"/\\\\\\"} value=\${value//\\$/\\\\$} value=\${value//\\\`/\\\\\\\`}
              [[ "$value" == *!* ]] || COMPREPLY+=("$value") ;;
           \\') value=\${value//\\'/\\'\\\\\\'\\'}; COMPREPLY+=("$value") ;;
           *) COMPREPLY+=("$(printf %q "$value")") ;;
         esac ;;
    esac
  done < <(hob complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _hob hob
`,
  zsh: `#compdef hob
# Completion of hob for zsh.
_hob() {
  local line
  local -a offered shown
  local -a typed=("\${(@Q)words[2,CURRENT]}")
  # Remove an open quote, which has no closing quote yet.
  typed[-1]=\${typed[-1]#[\\"\\']}
  for line in "\${(@f)$(hob complete -- "\${(@)typed}" 2>/dev/null)}"; do
    case "$line" in
      :files) _files; return ;;
      :folders) _files -/; return ;;
      '') ;;
      *)
        offered+=("\${line%%$'\\t'*}")
        shown+=("\${line/$'\\t'/  }")
        ;;
    esac
  done
  compadd -d shown -- "\${offered[@]}"
}
compdef _hob hob
`,
  fish: `# Completion of hob for fish.
function __hob_complete
    # Remove an open quote, which has no closing quote yet.
    set -l typed (commandline -ct | string replace -r '^["\\']' '' | string unescape)
    set -l words (commandline -opc) "$typed"
    set -l offered (hob complete -- $words[2..-1] 2>/dev/null)
    switch "$offered[1]"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $offered
    end
end
complete -c hob -f -a '(__hob_complete)'
`,
} as const;

type Shell = keyof typeof shellScripts;
const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];
