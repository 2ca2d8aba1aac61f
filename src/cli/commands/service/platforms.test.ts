import { describe, expect, it } from 'vitest';
import { launchdAgent, scheduledTask, systemdUnit } from './platforms.ts';

const service = {
  node: '/opt/node 20/bin/node',
  command: '/opt/hob/bin/hob.js',
  home: '/home/ada/100% "mine" $HOME <&>',
  path: '/usr/bin:/opt/50%',
};

describe('the login service', () => {
  it('is a systemd unit that stops only the service', () => {
    expect(systemdUnit(service)).toBe(`[Unit]
Description=Hob, the local script service

[Service]
ExecStart="/opt/node 20/bin/node" "--v8-pool-size=1" "--max-semi-space-size=1" "/opt/hob/bin/hob.js" "serve" "--home" "/home/ada/100%% \\"mine\\" $$HOME <&>"
Environment="PATH=/usr/bin:/opt/50%%"
Restart=on-failure
RestartSec=5
# Stop only the service. Running scripts continue, and the service finds them at its next start.
KillMode=process
# Lets Hob put each run into its own cgroup.
Delegate=yes

[Install]
WantedBy=default.target
`);
  });

  it('is a launchd agent that restarts Hob after a failure', () => {
    expect(
      launchdAgent(service, '/Users/ada/Library/Logs/hob.log'),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>local.hob</string>
  <key>ProgramArguments</key>
  <array>
    <string>/opt/node 20/bin/node</string>
    <string>--v8-pool-size=1</string>
    <string>--max-semi-space-size=1</string>
    <string>/opt/hob/bin/hob.js</string>
    <string>serve</string>
    <string>--home</string>
    <string>/home/ada/100% "mine" $HOME &lt;&amp;&gt;</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>/usr/bin:/opt/50%</string>
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
  <string>/Users/ada/Library/Logs/hob.log</string>
  <key>StandardErrorPath</key>
  <string>/Users/ada/Library/Logs/hob.log</string>
</dict>
</plist>
`);
  });

  it('is a Windows task without a time limit', () => {
    const task = scheduledTask(
      {
        ...service,
        node: 'C:\\Program Files\\nodejs\\node.exe',
        command: 'C:\\hob\\bin\\hob.js',
        home: 'D:\\My home\\',
      },
      'ada & co',
    );
    expect(task).toMatch(/^<\?xml version="1\.0" encoding="UTF-16"\?>\n<Task /);
    expect(task).toContain('<UserId>ada &amp; co</UserId>');
    expect(task).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>');
    expect(task).toContain(
      '<Arguments>--headless "C:\\Program Files\\nodejs\\node.exe" "--v8-pool-size=1" "--max-semi-space-size=1" "C:\\hob\\bin\\hob.js" serve --home "D:\\My home\\\\"</Arguments>',
    );
  });
});
