import type { Command } from 'commander';

import { StartError, serve } from '../../main.ts';
import { UserError } from '../user-error.ts';

interface ServeOptions {
  home?: string;
  host?: string;
  port?: string;
  scripts?: string[];
  logLevel?: string;
  token?: boolean;
}

export function configure(command: Command): void {
  command
    .option(
      '--home <dir>',
      "Hob's own folder: database, runs, scripts, models, settings (default: HOB_HOME, else the data folder of the platform)",
    )
    .option(
      '--host <address>',
      'address to listen on; other than loopback ones need --token (default: 127.0.0.1 and ::1)',
    )
    .option('--port <number>', 'port to listen on; 0 picks a free one (default: 9527)')
    .option('--token', 'refuse callers without the token of this home, which `hob token` prints')
    .option('--scripts <dir...>', "further folders with scripts, beside the home's own")
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default: info)')
    .action(async (options: ServeOptions) => {
      try {
        await serve(options);
      } catch (error) {
        throw error instanceof StartError ? new UserError(error.message) : error;
      }
    });
}
