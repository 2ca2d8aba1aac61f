import { availableParallelism } from 'node:os';

import Type, { type Static } from 'typebox';

import { agentPackages, outgoingFormats, outgoingSelections } from '../contract/values.ts';
import { logLevels } from '../shared/log.ts';

const mebibytes = (fallback: number, description: string) =>
  Type.Number({ minimum: 0.001, maximum: 65_536, default: fallback, description });
const seconds = (fallback: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 2_000_000, default: fallback, description });

const endpoint = (description: string) =>
  Type.String({ pattern: '^(?:https?://[^\\s?#@]+)?$', default: '', description });

/**
 * All settings. The key is the name in settings.toml. The environment variable is `HOB_` and the key in capitals.
 * `docs/settings.md` is generated from this.
 */
export const SettingsSchema = Type.Object({
  listen: Type.Array(Type.String(), {
    default: ['127.0.0.1', '::1'],
    minItems: 1,
    description:
      'IP addresses to listen on; `localhost` means both default addresses. Addresses other than loopback require `token = true`. The flag `--host` sets a single address.',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 9527,
    description: 'Port to listen on. 0 selects the port used last, or any free port if that one is taken.',
  }),
  scripts: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Folders with scripts, in addition to `scripts/` in the home. The flag `--scripts` adds more.',
  }),
  model_folders: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      'Additional folders to search for models: `OWNER/NAME` folders, or a Hugging Face or ModelScope cache in another place. Hob never removes anything from them.',
  }),
  hooks_listen: Type.String({
    default: '',
    description:
      'Address and port of the separate listener for webhooks, such as `127.0.0.1:8790`; a port alone means `127.0.0.1`. It opens while a webhook is on. Empty: webhooks receive nothing. The flag `--hooks-listen` sets it.',
  }),
  log_level: Type.Enum(logLevels, {
    default: 'info',
    description: `Log level of the messages on stderr: ${logLevels.join(', ')}.`,
  }),
  extra_hosts: Type.Array(Type.String({ pattern: '^[^/\\s*?#@]+$' }), {
    default: [],
    description:
      'Additional values of the Host header to accept, exactly as clients send them: with the port, such as `hob.local:9527`, unless the port is 80.',
  }),
  trusted_origins: Type.Array(Type.String({ pattern: '^https?://[^/\\s]+$' }), {
    default: [],
    description: 'Web origins whose pages may call Hob, such as `http://localhost:3000`.',
  }),
  token: Type.Boolean({
    default: false,
    description:
      'Whether callers must send the token of this home (`hob token` prints it). Required to listen on addresses other than loopback. The flag `--token` enables it.',
  }),
  max_connections: Type.Integer({
    minimum: 10,
    maximum: 100_000,
    default: 1000,
    description:
      'Maximum number of open connections, limited to half of the available file handles. Above the limit, Hob closes idle and stalled connections and refuses new ones with 503.',
  }),
  receive_s: Type.Number({
    minimum: 0.5,
    maximum: 3600,
    default: 30,
    description:
      'Seconds within which a client must send the request header, and maximum pause within the body. A slower request is refused with 408. The whole request may take ten times as long.',
  }),
  max_runs: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: Math.max(8, 4 * availableParallelism()),
    description:
      'Maximum number of concurrent runs. The default is 8 or four times the number of cores, whichever is larger.',
  }),
  max_queued: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1000,
    description: 'Maximum number of queued runs. Further runs are refused with 503.',
  }),
  queue_wait_s: seconds(
    60,
    'Seconds that a synchronous call or a link waits for a slot before it is refused with 503.',
  ),
  timeout_s: seconds(0, 'Time limit in seconds for scripts whose manifest sets none. 0: no limit.'),
  stop_grace_s: seconds(5, 'Seconds between the request to stop a script and the kill.'),
  drain_s: seconds(10, 'Seconds that a stopping service waits for synchronous calls to finish.'),
  on_stop: Type.Enum(['leave', 'stop'], {
    default: 'leave',
    description:
      'What happens to asynchronous runs when the service stops: `leave` lets them continue and keeps queued ones for the next start; `stop` ends them all, like `hob stop --all`.',
  }),
  heartbeat_s: Type.Number({
    minimum: 0.1,
    maximum: 3600,
    default: 30,
    description:
      'Interval in seconds at which a long synchronous call sends a space, so that its client does not time out. An event stream sends a comment after the same silence, but at most after 15 s.',
  }),
  idempotency_hours: Type.Number({
    minimum: 1,
    maximum: 8760,
    default: 24,
    description: 'Hours for which an `Idempotency-Key` refers to the run that it was first sent with.',
  }),
  desktop_notifications: Type.Boolean({
    default: true,
    description:
      'Whether notifications appear on the desktop. If not, Hob only keeps them in the list of notifications, which the console shows.',
  }),
  notify_url: Type.String({
    pattern: '^(?:https?://[^\\s/?#]+[^\\s#]*)?$',
    default: '',
    description:
      'Address to which Hob [also sends notifications](desktop.md#send-notifications-to-a-url), such as `https://ntfy.sh/my-topic`. Empty: none. Hob treats the address as a secret and shows only its host.',
  }),
  notify_format: Type.Enum(outgoingFormats, {
    default: 'json',
    description:
      'Format of the messages to `notify_url`: `json` (a JSON object) or `ntfy` (the text, with the headers of ntfy).',
  }),
  notify_send: Type.Enum(outgoingSelections, {
    default: 'errors',
    description:
      'Which notifications Hob sends to `notify_url`: `errors` (failed runs, troubles of Hob, and errors that scripts report) or `all`.',
  }),
  mcp_packages: Type.Enum(agentPackages, {
    default: 'chosen',
    description:
      'Which scripts of installed packages AI agents may use: `chosen` (those that you offer on the page Agents of the console), `declared` (also those whose manifest says `enabled = true` in `[service.mcp]`) or `all`. A script that you withhold is never offered.',
  }),
  terminal_command: Type.Array(Type.String({ minLength: 1, pattern: '^[^\\u0000]*$' }), {
    default: [],
    description:
      'Command that opens a terminal window: a program and its arguments, such as `["xterm", "-maximized", "-e"]`. Hob appends the command to run in the window. Empty: Hob selects a terminal.',
  }),
  terminal_hold: Type.Enum(['failure', 'always', 'never'], {
    default: 'failure',
    description:
      'When a terminal window stays open after the end of its run until a key is pressed: `failure` (only if the run failed), `always` or `never`.',
  }),
  output_log_mib: mebibytes(
    64,
    'Maximum size on disk of each output stream of a run. Of a longer output, Hob keeps the first and the last half of this size.',
  ),
  output_answer_mib: mebibytes(16, 'Maximum size of each output stream in a response.'),
  result_mib: mebibytes(16, 'Maximum size of a result file.'),
  history_days: Type.Number({
    minimum: 0,
    maximum: 36_500,
    default: 30,
    description: 'Days after which Hob removes ended runs and their folders. 0: no limit.',
  }),
  history_runs: Type.Integer({
    minimum: 0,
    maximum: 100_000_000,
    default: 10_000,
    description:
      'Maximum number of ended runs to keep. Hob removes those that were queued first. 0: no limit.',
  }),
  history_mib: Type.Number({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 2048,
    description: 'Maximum size on disk of the records and folders of all runs. 0: no limit.',
  }),
  environments: Type.Boolean({
    default: true,
    description:
      'Whether Hob builds an environment for each script that declares packages (`requirements.txt`, `pyproject.toml`, PEP 723, `package.json`). If false, scripts use the packages installed on the machine.',
  }),
  environment_days: Type.Number({
    minimum: 0,
    maximum: 36_500,
    default: 7,
    description: 'Days without use after which Hob removes an environment that no script needs.',
  }),
  warm_memory_mb: Type.Integer({
    minimum: 0,
    maximum: 65_536,
    default: 256,
    description:
      'Memory limit in MB for all [warm interpreters](warm.md) together. 0: no warm interpreters; every run starts its own.',
  }),
  warm_idle_minutes: Type.Number({
    minimum: 0.01,
    maximum: 525_600,
    default: 30,
    description: 'Minutes after which Hob ends a warm interpreter that no run could use.',
  }),
  native_start: Type.Boolean({
    default: true,
    description:
      'Whether Hob starts programs with direct system calls on Linux and macOS. False: through Node, which is slower and has no warm interpreters, and scripts cannot open `/dev/stderr`. For machines where direct calls fail. The calls for macOS are written, but have not been tried on such a machine yet.',
  }),
  huggingface_endpoint: endpoint(
    'Base address for downloads from Hugging Face, for example a mirror. Empty: the value of `HF_ENDPOINT`, otherwise `https://huggingface.co`.',
  ),
  modelscope_endpoint: endpoint(
    'Base address for downloads from ModelScope. Empty: the value of `MODELSCOPE_ENDPOINT`, otherwise `https://www.modelscope.cn`.',
  ),
  json_body_mib: mebibytes(8, 'Maximum size of a JSON body.'),
  form_body_mib: mebibytes(1, 'Maximum size of a form body.'),
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
