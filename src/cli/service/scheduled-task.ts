import { fewThreads } from '../../shared/node-flags.ts';
import type { LoginService } from './login-service.ts';
import { xmlText } from './xml-text.ts';

export const taskName = 'Hob';

/** The scheduled task that starts Hob at logon, in an invisible console of its own. */
export function scheduledTask({ node, command, home }: LoginService, user: string): string {
  const words = ['--headless', node, ...fewThreads, command, 'serve', '--home', home]
    .map(quoteWord)
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
function quoteWord(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
