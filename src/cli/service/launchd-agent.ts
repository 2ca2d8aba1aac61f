import { fewThreads } from '../../shared/node-flags.ts';
import type { LoginService } from './login-service.ts';
import { xmlText } from './xml-text.ts';

export const agentLabel = 'local.hob';

/** The launchd agent that starts Hob at login. */
export function launchdAgent({ node, command, home, path }: LoginService, logFile: string): string {
  const words = [node, ...fewThreads, command, 'serve', '--home', home].map(
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
