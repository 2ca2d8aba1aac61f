/** What a shell is told so that it asks `hob complete` for what may come next. All that can change is in there, none of it in here. */
export const shellScripts = {
  bash: `# Completion of hob for bash.
_hob() {
  local typed="\${COMP_WORDS[COMP_CWORD]}" quote= line value
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Readline makes a word of its own of the sign in --option=value.
  if [[ "$typed" == = ]]; then
    words=("\${words[@]:0:\${#words[@]}-1}" "")
    typed=
  elif (( COMP_CWORD > 1 )) && [[ "\${COMP_WORDS[COMP_CWORD-1]}" == = ]]; then
    words=("\${words[@]:0:\${#words[@]}-2}" "$typed")
  fi
  # A name with spaces may have been begun with a quote.
  if [[ "$typed" == [\\"\\']* ]]; then
    quote=\${typed:0:1}
    words[\${#words[@]}-1]=\${typed:1}
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    case "$line" in
      :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$typed") ;;
      :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$typed") ;;
      *) if [[ -n "$quote" ]]; then COMPREPLY+=("$value"); else COMPREPLY+=("$(printf %q "$value")"); fi ;;
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
  for line in "\${(@f)$(hob complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
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
    set -l words (commandline -opc) (commandline -ct)
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
