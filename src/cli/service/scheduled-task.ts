import { fewThreads } from '../../shared/node-flags.ts';
import type { LoginService } from './login-service.ts';
import { xmlText } from './xml-text.ts';

export const taskName = 'Hob';

/** The task that has Windows start Hob when its user logs on. It has a console of its own that nobody sees. */
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

/** As Windows programs split their command line: a backslash counts only before a quote. */
function quoteWord(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
