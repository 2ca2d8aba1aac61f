import { bash, writeScript } from './scripts.ts';

/** A script that writes its run to a ledger file when it begins, runs for the given time, and exits with the given code. */
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
