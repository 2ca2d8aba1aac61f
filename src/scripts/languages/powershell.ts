import type { Language } from './language.ts';

export const powershell = {
  aliases: ['pwsh', 'ps1'],
  extensions: ['.ps1'],
  interpreter: {
    title: 'PowerShell',
    names: ['pwsh', 'powershell.exe'],
    probe: [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      '"$($PSVersionTable.PSVersion)"; (Get-Process -Id $PID).Path',
    ],
    source: 'https://learn.microsoft.com/powershell/scripting/install/installing-powershell',
  },
  start(entry, { platform }) {
    const policy = platform === 'win32' ? ['-ExecutionPolicy', 'Bypass'] : [];
    return { args: ['-NoProfile', '-NonInteractive', ...policy, '-File', entry] };
  },
} satisfies Language;
