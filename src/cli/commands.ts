import type { Command } from 'commander';

/** A subcommand: what `hob --help` says of it, and how to get the rest when it is called. */
export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** Under which heading it stands. */
  readonly group: string;
  /** Adds its options and its action. Loaded only when needed, so that the command starts quickly. */
  load(): Promise<{ configure(command: Command): void }>;
}

const service = 'The service:';
const scripts = 'Scripts:';
const authors = 'For authors of scripts:';
const help = 'When something is wrong:';

/** Every subcommand, in the order of `hob --help`. */
export const subcommands: readonly Subcommand[] = [
  {
    name: 'serve',
    group: service,
    summary: 'run the service in this terminal',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'stop',
    group: service,
    summary: 'stop the running service',
    load: () => import('./commands/stop.ts'),
  },
  {
    name: 'token',
    group: service,
    summary: 'print or renew the token',
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'install',
    group: scripts,
    summary: 'install a script from a folder, an archive or a git repository',
    load: () => import('./commands/install.ts'),
  },
  {
    name: 'update',
    group: scripts,
    summary: 'get newer versions of installed scripts',
    load: () => import('./commands/update.ts'),
  },
  {
    name: 'rollback',
    group: scripts,
    summary: 'go back to the version before an update',
    load: () => import('./commands/rollback.ts'),
  },
  {
    name: 'uninstall',
    group: scripts,
    summary: 'remove an installed script',
    load: () => import('./commands/uninstall.ts'),
  },
  {
    name: 'packages',
    group: scripts,
    summary: 'list what is installed',
    load: () => import('./commands/packages.ts'),
  },
  {
    name: 'prepare',
    group: scripts,
    summary: 'make the environment of a script before its first run',
    load: () => import('./commands/prepare.ts'),
  },
  {
    name: 'environments',
    group: scripts,
    summary: 'list and remove what scripts are run with',
    load: () => import('./commands/environments.ts'),
  },
  {
    name: 'model',
    group: scripts,
    summary: 'list, download and delete models',
    load: () => import('./commands/model.ts'),
  },
  {
    name: 'check',
    group: authors,
    summary: 'say everything that is wrong with a script',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'pack',
    group: authors,
    summary: 'make a package of a script',
    load: () => import('./commands/pack.ts'),
  },
  {
    name: 'doctor',
    group: help,
    summary: 'look at everything, and say what to do next',
    load: () => import('./commands/doctor.ts'),
  },
];
