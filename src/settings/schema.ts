import { availableParallelism } from 'node:os';

import Type, { type Static } from 'typebox';

import { logLevels } from '../shared/log.ts';

const mebibytes = (fallback: number, description: string) =>
  Type.Number({ minimum: 0.001, maximum: 65_536, default: fallback, description });
const seconds = (fallback: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 2_000_000, default: fallback, description });

const endpoint = (description: string) =>
  Type.String({ pattern: '^(?:https?://[^\\s?#@]+)?$', default: '', description });

/**
 * Every setting there is. The key is its name in settings.toml; in the environment it is `HOB_` and the key in capitals.
 * `docs/settings.md` is generated from this.
 */
export const SettingsSchema = Type.Object({
  listen: Type.Array(Type.String(), {
    default: ['127.0.0.1', '::1'],
    minItems: 1,
    description:
      'Addresses to listen on, as literals; `localhost` stands for both of the default. Others than loopback addresses are taken only with `token = true`. The flag `--host` sets a single one.',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 9527,
    description: 'Port to listen on. 0 takes the last one used if it is free, else any free one.',
  }),
  scripts: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: "Folders with scripts, beside the home's own `scripts/`. The flag `--scripts` adds to them.",
  }),
  model_folders: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Further folders to look for models in: `OWNER/NAME` folders, or a cache of Hugging Face or ModelScope that lies elsewhere. Nothing in them is ever removed.',
  }),
  log_level: Type.Enum(logLevels, {
    default: 'info',
    description: `How much is logged to stderr: ${logLevels.join(', ')}.`,
  }),
  extra_hosts: Type.Array(Type.String({ pattern: '^[^/\\s*?#@]+$' }), {
    default: [],
    description:
      'Further values of the Host header to accept, just as clients send them: with the port, such as `hob.local:9527`, unless it is the standard one.',
  }),
  trusted_origins: Type.Array(Type.String({ pattern: '^https?://[^/\\s]+$' }), {
    default: [],
    description: 'Web origins whose pages may call Hob, such as `http://localhost:3000`.',
  }),
  token: Type.Boolean({
    default: false,
    description:
      'Whether callers must show the token of this home (`hob token` prints it). Needed to listen on other than loopback addresses. The flag `--token` switches it on.',
  }),
  max_connections: Type.Integer({
    minimum: 10,
    maximum: 100_000,
    default: 1000,
    description:
      'Connections at once; never more than half of the file handles that Hob may have. When there are more, idle and stuck ones are closed, and new ones refused with 503.',
  }),
  receive_s: Type.Number({
    minimum: 0.5,
    maximum: 3600,
    default: 30,
    description:
      'How long a client may take to send the header of a request, and how long it may pause within the body, before it is refused with 408. The whole request may take ten times as long.',
  }),
  max_runs: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: Math.max(8, 4 * availableParallelism()),
    description: 'Runs at once. The default is 8 or four times the cores, whichever is more.',
  }),
  max_queued: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    description: 'Runs that may wait for a slot; one more is refused with 503.',
  }),
  queue_wait_s: seconds(
    60,
    'How long a synchronous call or a link waits for a slot before it is refused with 503.',
  ),
  timeout_s: seconds(0, 'Time limit of runs whose manifest sets none. 0 is no limit.'),
  stop_grace_s: seconds(5, 'How long a script may take to end after it was asked to, before it is killed.'),
  drain_s: seconds(10, 'How long a stopping service waits for its synchronous callers.'),
  on_stop: Type.Enum(['leave', 'stop'], {
    default: 'leave',
    description:
      'What becomes of asynchronous runs when the service stops: `leave` lets them go on and keeps waiting ones for the next start, `stop` ends them all, as `hob stop --all` does.',
  }),
  heartbeat_s: Type.Number({
    minimum: 0.1,
    maximum: 3600,
    default: 30,
    description:
      'A synchronous call that lasts longer gets a space this often, so that its client does not give up. A stream of events gets a comment after as much silence, or after 15 s if that is less.',
  }),
  idempotency_hours: Type.Number({
    minimum: 1,
    maximum: 8760,
    default: 24,
    description: 'How long an `Idempotency-Key` stands for the run that it was first sent with.',
  }),
  terminal_command: Type.Array(Type.String({ minLength: 1, pattern: '^[^\\u0000]*$' }), {
    default: [],
    description:
      'What opens a terminal window: a program and its arguments, to which the command for the window is appended, such as `["xterm", "-maximized", "-e"]`. Empty: Hob finds one by itself.',
  }),
  terminal_hold: Type.Enum(['failure', 'always', 'never'], {
    default: 'failure',
    description:
      'When a terminal window stays open after its run has ended, until a key is pressed: `failure` when the run failed, `always`, or `never`.',
  }),
  output_log_mib: mebibytes(
    64,
    'Kept on disk of each output stream of a run: the first and the last half of this.',
  ),
  output_answer_mib: mebibytes(16, 'Of each output stream, the most that an answer carries.'),
  result_mib: mebibytes(16, 'Largest result file that is read.'),
  history_days: Type.Number({
    minimum: 0,
    maximum: 36_500,
    default: 30,
    description: 'Runs that ended longer ago are removed, with their folders. 0 is no limit.',
  }),
  history_runs: Type.Integer({
    minimum: 0,
    maximum: 100_000_000,
    default: 10_000,
    description: 'The most ended runs that are kept; those that were queued first go first. 0 is no limit.',
  }),
  history_mib: Type.Number({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 2048,
    description: 'The most that the records and folders of all runs may take on the disk. 0 is no limit.',
  }),
  environments: Type.Boolean({
    default: true,
    description:
      'Whether scripts that say which packages they need (`requirements.txt`, `pyproject.toml`, PEP 723, `package.json`) get an environment of their own with them. Without, they run with what is installed on the machine.',
  }),
  environment_days: Type.Number({
    minimum: 0,
    maximum: 36_500,
    default: 7,
    description: 'An environment that no script needs any more is removed when it was not used for so long.',
  }),
  warm_memory_mb: Type.Integer({
    minimum: 0,
    maximum: 65_536,
    default: 256,
    description:
      'How many MB of memory all [interpreters that wait for their run](warm.md) may take together. 0: none waits, and every run starts its own.',
  }),
  warm_idle_minutes: Type.Number({
    minimum: 0.01,
    maximum: 525_600,
    default: 30,
    description: 'An interpreter that waits is ended when no run could use it for so long.',
  }),
  huggingface_endpoint: endpoint(
    'Where models of Hugging Face are downloaded from, such as a mirror. Empty: what `HF_ENDPOINT` says, else `https://huggingface.co`.',
  ),
  modelscope_endpoint: endpoint(
    'Where models of ModelScope are downloaded from. Empty: what `MODELSCOPE_ENDPOINT` says, else `https://www.modelscope.cn`.',
  ),
  json_body_mib: mebibytes(8, 'Largest JSON body that is taken.'),
  form_body_mib: mebibytes(1, 'Largest form body that is taken.'),
});

export type Settings = Static<typeof SettingsSchema>;
export type SettingName = keyof Settings;

export const settingNames: readonly SettingName[] = Object.keys(SettingsSchema.properties).filter(
  (name): name is SettingName => name in SettingsSchema.properties,
);

/** Settings of the release before this one. They produce a note for one release, then they are unknown like any other. */
export const removedSettings: readonly string[] = ['parameters_in_memory'];

export function environmentName(setting: string): string {
  return `HOB_${setting.toUpperCase()}`;
}
