import { findTerminals } from '../../terminals/find-terminals.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok, problem, splitAdvice } from '../finding.ts';

/** Checks that Hob can open terminal windows. */
export async function checkTerminals({ platform, environment, settings }: DoctorContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { terminal_command: terminalCommand } = settings;
  const warn = () => {
    findings.push(
      problem(
        'desktop',
        {
          en: `The program ${terminalCommand[0] ?? ''} of the setting terminal_command does not exist`,
          zh: `设置 terminal_command 中的程序 ${terminalCommand[0] ?? ''} 不存在`,
        },
        {
          en: 'Install it, or correct terminal_command in settings.toml.',
          zh: '请安装它，或更正 settings.toml 中的 terminal_command。',
        },
      ),
    );
  };
  const search = await findTerminals({ platform, environment, inside: [], terminalCommand, log: { warn } });
  if (search.kind === 'found') {
    const [first = []] = search.commands;
    return [
      ...findings,
      ok('desktop', {
        en: `Hob opens terminal windows with ${first[0] ?? 'the program of the system'}`,
        zh: `终端窗口用 ${first[0] ?? '系统自带的程序'} 打开`,
      }),
    ];
  }
  if (search.reason === 'no-display')
    return [
      ...findings,
      ok('desktop', {
        en: 'This machine has no screen, so runs have no terminal windows',
        zh: '这里没有屏幕，运行脚本时不会打开终端窗口',
      }),
    ];
  const { what, next } = splitAdvice(search.message);
  const capital = what.en.charAt(0).toUpperCase() + what.en.slice(1);
  return [...findings, note('desktop', { en: capital, zh: what.zh }, next)];
}
