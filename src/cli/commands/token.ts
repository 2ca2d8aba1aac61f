import { access } from 'node:fs/promises';

import type { Command } from 'commander';
import { faultOfHome } from '../../settings/prepare-home.ts';
import { errnoOf } from '../../shared/errors.ts';
import { ensureToken, renewToken, TokenError, tokenFileOf } from '../../shared/token-file.ts';
import { findService } from '../find-service.ts';
import { UserError } from '../user-error.ts';

interface TokenOptions {
  home?: string;
  renew?: boolean;
  header?: boolean;
}

export function configure(command: Command): void {
  command
    .option(
      '--home <dir>',
      'home of the service that the token is for (default: HOB_HOME, else the data folder of the platform)',
    )
    .option('--renew', 'make a new one; the old one and all sessions end at once')
    .option('--header', 'print the header to send, for `curl -H @-`')
    .action(async ({ home: flag, renew, header }: TokenOptions) => {
      const { home, service } = await findService(flag);
      const hadToken = await exists(tokenFileOf(home));
      const token = await tokenFor(home, renew === true);
      // Alone on stdout, so that a shell can put it into a variable.
      process.stdout.write(header === true ? `Authorization: Bearer ${token}\n` : `${token}\n`);
      if (renew === true && hadToken) process.stderr.write('The old token is of no use any more.\n');
      if (service !== null && !service.token) process.stderr.write(notNeeded);
    });
}

const notNeeded =
  'The running Hob does not ask for it: put token = true into its settings.toml (or start it with --token) and start it again.\n';

async function tokenFor(home: string, renew: boolean): Promise<string> {
  try {
    const fault = await faultOfHome(home);
    if (fault !== null) throw new UserError(fault);
    return await (renew ? renewToken(home) : ensureToken(home));
  } catch (error) {
    if (error instanceof TokenError) throw new UserError(error.message);
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw new UserError(`The token file ${tokenFileOf(home)} cannot be written (${errno}).`);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
