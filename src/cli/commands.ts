import type { Command } from 'commander';

/** A subcommand: what `hob --help` says of it, and how to get the rest when it is called. */
export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** Adds its options and its action. Loaded only when needed, so that the command starts quickly. */
  load(): Promise<{ configure(command: Command): void }>;
}

/** Every subcommand, in the order of `hob --help`. */
export const subcommands: readonly Subcommand[] = [
  { name: 'serve', summary: 'run the service in this terminal', load: () => import('./commands/serve.ts') },
  { name: 'stop', summary: 'stop the running service', load: () => import('./commands/stop.ts') },
  { name: 'model', summary: 'list, download and delete models', load: () => import('./commands/model.ts') },
  { name: 'token', summary: 'print or renew the token', load: () => import('./commands/token.ts') },
];
