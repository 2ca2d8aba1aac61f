import { fewThreads } from '../../shared/node-flags.ts';
import type { LoginService } from './login-service.ts';

export const unitName = 'hob.service';

/** The unit that has systemd start Hob with the session of its user. */
export function systemdUnit({ node, command, home, path }: LoginService): string {
  const words = [node, ...fewThreads, command, 'serve', '--home', home].map(quoteWord).join(' ');
  return `[Unit]
Description=Hob, the local script service

[Service]
ExecStart=${words}
Environment=${quoteText(`PATH=${path}`)}
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

/** As a word of a command line, where a dollar begins the name of a variable. */
function quoteWord(text: string): string {
  return quoteText(text).replaceAll('$', '$$$$');
}

/** In quotes, with what begins an escape or a specifier written twice. */
function quoteText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}
