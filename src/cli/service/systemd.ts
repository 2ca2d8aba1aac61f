import { userInfo } from 'node:os';
import { join } from 'node:path';

import { userUnitFolder } from '../../settings/login-service.ts';
import { runCommand } from '../../shared/run-command.ts';
import { tr } from '../language.ts';
import { printable } from '../terminal/text-width.ts';
import type { LoginService, Platform, ToolCall } from './login-service.ts';
import { systemdUnit, unitName } from './systemd-unit.ts';

/** The login service on Linux: a systemd user unit. */
export function systemd(service: LoginService): Platform {
  return {
    kind: 'systemd',
    file: join(userUnitFolder(), unitName),
    text: systemdUnit(service),
    encoding: 'utf8',
    // Restart a running service, so that it uses the new file.
    onInstall: [userTool('daemon-reload'), userTool('enable', unitName), userTool('restart', unitName)],
    beforeRemoval: [{ ...userTool('disable', '--now', unitName), mayFail: true }],
    afterRemoval: [userTool('daemon-reload')],
    isActive: userTool('is-active', '--quiet', unitName),
    diagnosisCommand: `journalctl --user -u ${unitName}`,
    fault: faultOfSession,
    advice: adviceOnLinger,
  };
}

function userTool(...args: string[]): ToolCall {
  return { tool: 'systemctl', args: ['--user', ...args] };
}

async function faultOfSession(): Promise<string | null> {
  const { ok, failure, stderr } = await runCommand('systemctl', ['--user', 'show-environment']);
  if (ok) return null;
  if (failure === 'ENOENT')
    return tr(
      'This machine has no systemd. Configure its init system to run: hob serve',
      '这台电脑没有 systemd。请让系统的启动工具运行：hob serve',
    );
  const why = printable(stderr.trim().split('\n')[0] ?? failure);
  const { username } = userInfo();
  return tr(
    `The current user has no systemd session (${why}).
Log in as ${username} directly (on the desktop or with ssh, not with su or sudo) and try again; or keep a session open permanently, as root:
loginctl enable-linger ${username}
In a container, run this as the main command: hob serve`,
    `当前用户没有 systemd 会话（${why}）。
请直接以 ${username} 登录（桌面或 ssh，不要用 su 或 sudo）后重试；或者以 root 身份让会话一直存在：
loginctl enable-linger ${username}
在容器里，请让容器直接运行：hob serve`,
  );
}

/** Without lingering, systemd stops the user's services at logout. */
async function adviceOnLinger(): Promise<string | null> {
  const { username } = userInfo();
  const { ok, stdout } = await runCommand('loginctl', [
    'show-user',
    username,
    '--property=Linger',
    '--value',
  ]);
  if (!ok || stdout.trim() !== 'no') return null;
  return tr(
    `Hob stops when you log out. To run it from boot: loginctl enable-linger ${username}`,
    `注销后它会停止。若要开机就运行：loginctl enable-linger ${username}`,
  );
}
