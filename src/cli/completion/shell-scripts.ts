/** What a shell is told so that it asks `hob complete` for what may come next. All that can change is in there, none of it in here. */
export const shellScripts = {
  bash: `# Completion of hob for bash.
_hob() {
  local typed="\${COMP_WORDS[COMP_CWORD]}" quote= known= line value
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Readline makes a word of its own of the sign in --option=value and in name=value.
  if [[ "$typed" == = ]]; then
    words+=("")
    typed=
  fi
  if (( \${#words[@]} > 2 )) && [[ "\${words[\${#words[@]}-2]}" == = ]]; then
    known="\${words[\${#words[@]}-3]}="
    words=("\${words[@]:0:\${#words[@]}-3}" "$known$typed")
  fi
  # A name with spaces may have been begun with a quote, and words are given as they were typed.
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
      # Names are somebody else's: none may end the quote, nor have the shell do anything.
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
  # A quote that is still open cannot be taken away with its other half.
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
    # A quote that is still open cannot be taken away with its other half.
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

export type Shell = keyof typeof shellScripts;
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];
