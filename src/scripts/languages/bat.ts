import { command } from '../runtimes/command.ts';
import type { Language } from './language.ts';

export const bat = {
  startedWith: '`cmd.exe`, on Windows only',
  aliases: ['batch', 'cmd'],
  extensions: ['.bat', '.cmd'],
  platform: 'win32',
  // All arguments come from Hob, so the argument parsing of cmd is harmless.
  open: (entry) => command('cmd.exe', [entry], {}, 'cmd'),
} satisfies Language;
