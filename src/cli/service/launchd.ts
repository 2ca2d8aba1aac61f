import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

import { quoteWord } from '../quote-word.ts';
import { agentLabel, launchdAgent } from './launchd-agent.ts';
import type { LoginService, Platform, ToolCall } from './login-service.ts';

/** The login service on macOS: a launchd agent. */
export function launchd(service: LoginService): Platform {
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
    fault: async () => null,
    advice: async () => null,
  };
}
