/** Options that many commands have, said once. */
export const homeOption = [
  '--home <dir>',
  'home of the service to ask (default: HOB_HOME, else the data folder of the platform)',
] as const;
export const jsonOption = ['--json', 'print the answer of the service, for programs'] as const;

export interface CommonOptions {
  home?: string;
  json?: boolean;
}
