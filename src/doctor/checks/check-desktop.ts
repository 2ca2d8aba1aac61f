import { findBusAddress } from '../../notifications/desktop/bus-address.ts';
import { describeTrouble } from '../../notifications/desktop/describe-trouble.ts';
import { NotificationDaemon } from '../../notifications/desktop/notification-daemon.ts';
import { findTerminals } from '../../terminals/find-terminals.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { note, ok, problem, type Result, type Results, splitAdvice } from '../finding.ts';

const answerWithinMs = 2500;

/** Checks whether notifications work, without showing one. */
export async function checkDesktop({ platform, environment }: DoctorContext): Promise<Results> {
  if (platform === 'darwin' || platform === 'win32')
    return ok({ en: 'The operating system shows notifications', zh: '通知由系统自行显示' });
  const address = findBusAddress(environment);
  if (address === null)
    return ok({
      en: 'No session bus found: notifications are stored, but not shown',
      zh: '这里没有会话总线，通知只会保存，不会显示',
    });
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const daemon = await NotificationDaemon.open(address.path, signal);
    const capabilities = await daemon.capabilities(signal).finally(() => daemon.drop());
    return capabilities.has('actions')
      ? ok({ en: 'Notifications work', zh: '可以显示通知' })
      : ok({ en: 'Notifications work, but without buttons', zh: '可以显示通知，但没有按钮' });
  } catch (error) {
    const { problem, hint } = describeTrouble(error, address.path);
    const capital = problem.en.charAt(0).toUpperCase() + problem.en.slice(1);
    const what = { en: `Notifications do not work: ${capital}`, zh: `无法显示通知：${problem.zh}` };
    return note(what, hint);
  }
}

export async function checkTerminals({ platform, environment, settings }: DoctorContext): Promise<Results> {
  const findings: Result[] = [];
  const { terminal_command: terminalCommand } = settings;
  const warn = () => {
    findings.push(
      problem(
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
      ok({
        en: `Hob opens terminal windows with ${first[0] ?? 'the program of the system'}`,
        zh: `终端窗口用 ${first[0] ?? '系统自带的程序'} 打开`,
      }),
    ];
  }
  if (search.reason === 'no-display')
    return [
      ...findings,
      ok({
        en: 'This machine has no screen, so runs have no terminal windows',
        zh: '这里没有屏幕，运行脚本时不会打开终端窗口',
      }),
    ];
  const { what, next } = splitAdvice(search.message);
  const capital = what.en.charAt(0).toUpperCase() + what.en.slice(1);
  return [...findings, note({ en: capital, zh: what.zh }, next)];
}
