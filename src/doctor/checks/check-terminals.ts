import { findTerminals } from '../../terminals/find-terminals.ts';
import { type Finding, note, ok, problem, splitAdvice } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** Whether a window can be opened for runs that want one. */
export async function checkTerminals({ platform, environment, settings }: Patient): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { terminal_command: terminalCommand } = settings;
  const warn = () => {
    findings.push(
      problem(
        'desktop',
        `The program of the setting terminal_command, ${terminalCommand[0] ?? ''}, is not there`,
        'Install it, or correct terminal_command in settings.toml.',
      ),
    );
  };
  const search = await findTerminals({ platform, environment, inside: [], terminalCommand, log: { warn } });
  if (search.kind === 'found') {
    const [first = []] = search.commands;
    return [
      ...findings,
      ok('desktop', `Terminal windows are opened with ${first[0] ?? 'what the system has'}`),
    ];
  }
  if (search.reason === 'no-display')
    return [...findings, ok('desktop', 'There is no screen here, so runs have no terminal windows')];
  const { what, next } = splitAdvice(search.message.en);
  return [...findings, note('desktop', what.charAt(0).toUpperCase() + what.slice(1), next)];
}
