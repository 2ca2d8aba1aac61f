import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { searchPath, userUnitFolder } from '../../../settings/login-service.ts';
import { longLivedFlags } from '../../../shared/node-flags.ts';
import { runCommand } from '../../../shared/run-command.ts';
import { quoteWord } from '../../command-lines.ts';
import { tr } from '../../language.ts';
import { printable } from '../../terminal/text.ts';
import { userError } from '../../user-error.ts';
import { xmlText } from '../../xml-text.ts';

/** The program that starts at login. */
export interface LoginService {
  /** Absolute paths of Node and of the `hob` script. */
  readonly node: string;
  readonly command: string;
  readonly home: string;
  /** PATH, in which scripts find their interpreters. */
  readonly path: string;
}

/** How a platform starts a program at login. */
export interface Platform {
  /** Name of the mechanism, such as systemd. */
  readonly kind: string;
  readonly file: string;
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le';
  /** Commands that start the service now and enable it at login, after the file is written. */
  readonly onInstall: readonly ToolCall[];
  /** Commands to run before and after the file is removed. */
  readonly beforeRemoval: readonly ToolCall[];
  readonly afterRemoval: readonly ToolCall[];
  /** A command that succeeds while the service is active. */
  readonly isActive: ToolCall;
  /** A command that shows why the service does not run. */
  readonly diagnosisCommand: string;
  /** Why the platform is not usable, with advice; null if it is usable. */
  readonly fault?: () => Promise<string | null>;
  /** Advice to show after the installation; null for none. */
  readonly advice?: () => Promise<string | null>;
}

export interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
  /** Whether a failure is ignored, because the work may already be done. */
  readonly mayFail?: boolean;
}

const makers: Readonly<Partial<Record<NodeJS.Platform, typeof systemd>>> = {
  linux: systemd,
  darwin: launchd,
  win32: taskScheduler,
};

/** The login service of this platform, for the Hob of a home. */
export function findPlatform(home: string): Platform {
  const make = makers[process.platform];
  if (make === undefined)
    throw userError(
      `Automatic start at login is not supported on ${process.platform}. Configure the system to run: hob serve`,
      `Hob 不知道在 ${process.platform} 上如何让程序登录时启动。请自行让系统运行：hob serve`,
    );
  return make({
    node: process.execPath,
    // The same relative path works from src and from the build output.
    command: fileURLToPath(new URL('../../../../bin/hob.js', import.meta.url)),
    home,
    path: searchPath(),
  });
}

/** The login service on Linux: a systemd user unit. */
function systemd(service: LoginService): Platform {
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

const unitName = 'hob.service';

export function systemdUnit({ node, command, home, path }: LoginService): string {
  const words = [node, ...longLivedFlags, command, 'serve', '--home', home].map(unitWord).join(' ');
  return `[Unit]
Description=Hob, the local script service

[Service]
ExecStart=${words}
Environment=${unitText(`PATH=${path}`)}
Restart=on-failure
RestartSec=5
# Stop only the service. Running scripts continue, and the service finds them at its next start.
KillMode=process
# Lets Hob put each run into its own cgroup.
Delegate=yes

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of a command line, in which `$` begins a variable. */
function unitWord(text: string): string {
  return unitText(text).replaceAll('$', '$$$$');
}

/** Quotes a text and escapes backslashes, quotes and specifiers (%). */
function unitText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/** The login service on macOS: a launchd agent. */
function launchd(service: LoginService): Platform {
  const library = join(homedir(), 'Library');
  const file = join(library, 'LaunchAgents', `${agentLabel}.plist`);
  const logFile = join(library, 'Logs', 'hob.log');
  const domain = `gui/${userInfo().uid}`;
  const stop: ToolCall = { tool: 'launchctl', args: ['bootout', `${domain}/${agentLabel}`], mayFail: true };
  return {
    kind: 'launchd',
    file,
    text: launchdAgent(service, logFile),
    encoding: 'utf8',
    // A loaded agent would keep its old configuration.
    onInstall: [stop, { tool: 'launchctl', args: ['bootstrap', domain, file] }],
    beforeRemoval: [stop],
    afterRemoval: [],
    isActive: { tool: 'launchctl', args: ['print', `${domain}/${agentLabel}`] },
    diagnosisCommand: `tail ${quoteWord(logFile)}`,
  };
}

const agentLabel = 'local.hob';

export function launchdAgent({ node, command, home, path }: LoginService, logFile: string): string {
  const words = [node, ...longLivedFlags, command, 'serve', '--home', home].map(
    (word) => `    <string>${xmlText(word)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${agentLabel}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xmlText(path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <!-- Restart after a failure, but not after a normal stop. -->
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <!-- Running scripts continue when the service stops. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
  <string>${xmlText(logFile)}</string>
  <key>StandardErrorPath</key>
  <string>${xmlText(logFile)}</string>
</dict>
</plist>
`;
}

/** The login service on Windows: a scheduled task. */
function taskScheduler(service: LoginService): Platform {
  const file = join(service.home, 'hob-task.xml');
  return {
    kind: 'Task Scheduler',
    file,
    // The byte order mark tells Windows the encoding.
    text: `\ufeff${scheduledTask(service, userInfo().username)}`,
    encoding: 'utf16le',
    onInstall: [task('/Create', '/XML', file, '/F'), task('/Run')],
    beforeRemoval: [
      { ...task('/End'), mayFail: true },
      { ...task('/Delete', '/F'), mayFail: true },
    ],
    afterRemoval: [],
    isActive: task('/Query'),
    diagnosisCommand: 'hob doctor',
  };
}

function task(verb: string, ...args: string[]): ToolCall {
  return { tool: 'schtasks', args: [verb, '/TN', taskName, ...args] };
}

const taskName = 'Hob';

/** The scheduled task that starts Hob at logon, in an invisible console of its own. */
export function scheduledTask({ node, command, home }: LoginService, user: string): string {
  const words = ['--headless', node, ...longLivedFlags, command, 'serve', '--home', home]
    .map(windowsWord)
    .join(' ');
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Hob, the local script service</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${xmlText(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xmlText(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>conhost.exe</Command>
      <Arguments>${xmlText(words)}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/** Quotes a word as Windows programs parse it: a backslash is special only before a quote. */
function windowsWord(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
