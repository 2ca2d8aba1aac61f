import type { NotificationType } from '../../contract/values.ts';
import { openDesktop } from '../../notifications/desktop/open-desktop.ts';
import { desktopSession } from '../../settings/desktop-session.ts';
import { findOnPath } from '../../shared/find-program.ts';
import { createLogger } from '../../shared/log.ts';
import { longestTimerMs } from '../../shared/longest-timer.ts';
import { runCommand } from '../../shared/run-command.ts';
import { language } from '../language.ts';
import { printable } from '../terminal/text.ts';

/** An error names the next step, which takes longer to read. */
const durationsMs: Readonly<Record<NotificationType, number>> = {
  error: 20_000,
  info: 10_000,
  success: 5000,
};

/**
 * Shows a message on the desktop of this session, which the service may not be able to do: it may not even run. Without a program
 * that shows notifications, the message is in a window.
 */
export async function notifyUser(type: NotificationType, title: string, message: string): Promise<void> {
  const { environment } = desktopSession();
  const log = await createLogger('silent');
  const desktop = openDesktop({ platform: process.platform, environment, language, log });
  const durationMs = durationsMs[type];
  const text = printable(message);
  // Its connection and its timers do not keep a process alive.
  const hold = setInterval(() => {}, longestTimerMs);
  const shown = desktop.show({ type, title, message: text, durationMs, showClose: false, address: null });
  const isShown = await shown.finally(() => clearInterval(hold));
  await desktop.close();
  if (!isShown && process.platform === 'linux') await showWindow(type, title, text);
}

type WindowArgs = (type: NotificationType, title: string, text: string) => string[];

/** The programs that show a message in a window, in the order of preference. */
const windows: Readonly<Record<string, WindowArgs>> = {
  zenity: (type, title, text) => [
    type === 'error' ? '--error' : '--info',
    '--no-markup',
    `--title=${title}`,
    `--text=${text}`,
  ],
  kdialog: (type, title, text) => ['--title', title, type === 'error' ? '--error' : '--msgbox', text],
  xmessage: (_type, title, text) => ['-center', '-title', title, text],
};

/** Returns when the user closes the window. */
async function showWindow(type: NotificationType, title: string, text: string): Promise<void> {
  const { environment } = desktopSession();
  if (environment.DISPLAY === undefined && environment.WAYLAND_DISPLAY === undefined) return;
  for (const [program, argsOf] of Object.entries(windows)) {
    const path = await findOnPath(program, environment);
    if (path === null) continue;
    await runCommand(path, argsOf(type, title, text), { timeoutMs: longestTimerMs });
    return;
  }
}
