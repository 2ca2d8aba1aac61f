import { bash, writeScript } from './scripts.ts';

/** A script that enters its run in a ledger when it begins, lasts as long as it is told, and exits with the code it is told. */
export function writeLedgerScript(scripts: string, ledger: string): Promise<string> {
  return writeScript(scripts, 'ledger', {
    entry: bash(`
echo "$HOB_RUN_ID" >> "${ledger}"
value() { sed -n "s/^ *\\"$1\\": \\([0-9.]*\\),*$/\\1/p" "$2"; }
sleep "$(value sleep "$1")"
exit "$(value code "$1")"
`),
  });
}
