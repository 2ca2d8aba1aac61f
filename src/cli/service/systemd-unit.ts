import { fewThreads } from '../../shared/node-flags.ts';
import type { LoginService } from './login-service.ts';

export const unitName = 'hob.service';

/** The systemd user unit that starts Hob at login. */
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

/** Quotes a word of a command line, in which `$` begins a variable. */
function quoteWord(text: string): string {
  return quoteText(text).replaceAll('$', '$$$$');
}

/** Quotes a text and escapes backslashes, quotes and specifiers (%). */
function quoteText(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}
