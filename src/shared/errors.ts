import type { Text } from './text.ts';

/**
 * Every error code, with the sentence that documents it.
 * The list is closed: only these codes can be thrown, and `http/` maps each of them to a status.
 * @public docs/errors.md is generated from it
 */
export const errorCodes = {
  'script-id-missing': 'The request has no `script_id`.',
  'script-unknown': 'No script has this id.',
  'script-unusable':
    'The script cannot run: another script has the same id, its manifest is invalid, or its entry file is missing.',
  'icon-unknown':
    'The script has no usable icon: the manifest names none, or the file is missing, too large or not an image.',
  'script-not-a-node': 'The target of the link is not declared as a node.',
  'chain-too-deep': 'The link would exceed the limit of 8 levels in a chain.',
  'temp-file-missing': 'The `temp_file` does not exist.',
  'temp-file-invalid':
    'The `temp_file` path is relative, or the file is not a regular file, too large or unreadable, or its content is invalid.',
  'field-invalid': 'A field of the request has an invalid value.',
  'data-invalid': '`data` does not match the main input of the script.',
  'params-invalid': '`params` does not match the parameters that the script declares.',
  'body-malformed': 'The body cannot be parsed, or is not an object.',
  'body-too-large': 'The body exceeds the size limit for its content type.',
  'content-type-unsupported': 'The operation does not accept this content type.',
  'queue-full': 'The queue is full.',
  'queue-wait-exceeded': 'No slot became free within the maximum wait time.',
  'wait-circle': 'The call would wait for a run that already waits for the caller.',
  'untraced-links-full': 'Hob cannot identify the calling run, and too many unidentified links are active.',
  'resources-exhausted': 'The machine is out of disk space, file handles, processes or memory.',
  'service-stopping': 'The service is stopping and accepts no new runs.',
  'executor-unavailable': 'The executor cannot be started or reached, or does not respond.',
  'notify-content-type': 'The notification was not sent as JSON.',
  'notify-invalid': 'A field of the notification is missing or invalid.',
  'notify-url-missing': 'The setting `notify_url` is empty, so there is no URL to test.',
  'repo-id-invalid': 'The `repo_id` is missing or does not have the form `owner/name`.',
  'model-not-downloaded': 'The model is not downloaded, or only in part.',
  'download-unknown': 'No download has this id, or it ended too long ago.',
  'downloads-full': 'Too many downloads are running or waiting.',
  'download-ended': 'The download has already ended and cannot be stopped.',
  'model-not-removable':
    'The model is in a folder of `model_folders`, from which Hob removes nothing, or the operating system denied the removal.',
  'model-downloading': 'The model is being downloaded and cannot be removed now.',
  'hub-not-found': 'The hub has no such model, or no such revision of it.',
  'hub-denied': 'The hub requires a token, or that you accept a licence.',
  'hub-unreachable':
    'The hub cannot be reached, closed the connection, is overloaded or returned an error; or downloads are disabled.',
  'hub-answer-invalid': 'The hub returned an invalid response. Nothing of it was used.',
  'download-nothing-matches': 'No file of the model matches the requested patterns.',
  'download-corrupt': 'The size or hash of a downloaded file differs from what the hub announced.',
  'download-cache-unusable': 'Hob cannot use the folder that should receive the model.',
  'package-source-invalid':
    'The source does not exist, or is not a folder, an archive or the address of a git repository.',
  'package-unreadable': 'The archive is damaged, encrypted, or not of the type that its name says.',
  'package-unsafe':
    'The package contains dangerous entries: paths that lead out of it, links, devices or conflicting names.',
  'package-too-large': 'The package has too many entries, too many bytes or too many nested folders.',
  'package-not-a-script': 'The package contains no manifest, or several and the request has no `path`.',
  'package-broken': 'The manifest or the files of the package are invalid.',
  'package-fetch-failed': 'The git repository could not be fetched.',
  'package-installed': 'The script is already installed, or another folder has a script with the same id.',
  'package-not-installed': 'No installed package has this id.',
  'package-busy': 'Another operation on this script is in progress, or too many operations are.',
  'package-no-previous': 'Hob has no earlier version of the package.',
  'operation-unknown': 'No operation has this id, or it ended too long ago.',
  'operation-ended': 'The operation has already ended and cannot be stopped.',
  'secret-unknown': 'No stored secret has this name.',
  'secrets-unusable':
    'The files with the stored secrets are damaged, missing or readable by other users, or do not belong together.',
  'secrets-full': 'Hob stores no more secrets.',
  'environment-failed': 'The environment of the script could not be built.',
  'environment-unknown': 'No environment has this id.',
  'environment-in-use': 'The environment is being built or used by a run, and cannot be removed now.',
  'folder-unknown': 'The folder does not exist on this machine.',
  'folder-unreadable': 'The operating system denied access to the folder.',
  'folder-invalid': 'The path is not a folder.',
  'folder-missing': 'The path to open does not exist.',
  'desktop-unavailable': 'The machine has no desktop, or no program that opens folders.',
  'trigger-unknown': 'No trigger has this id.',
  'trigger-exists': 'Another trigger has this id, and the request was to create one.',
  'trigger-invalid': 'The fields of the trigger cannot be used.',
  'triggers-file-broken':
    '`triggers.toml` cannot be read, is not valid, or has a form that Hob cannot edit, so it was not changed.',
  'question-unknown': 'No open question of an agent has this id: it was answered, or it expired.',
  'path-unknown': 'The service has no such path.',
  'method-not-allowed': 'The path does not accept this method.',
  'run-unknown': 'No run has this id.',
  'run-ended': 'The run has already ended. It cannot be cancelled, receive input or report progress.',
  'run-without-terminal': 'The run has no terminal for the console, or does not have it yet.',
  'run-not-ended': 'The run has not ended yet and cannot be deleted.',
  'range-not-satisfiable': 'The requested range is past the end of the output, or was not kept.',
  'secrets-needed': 'The run used secrets, which Hob does not store. Send them again to repeat the run.',
  'idempotency-key-invalid':
    'The `Idempotency-Key` is not 1 to 255 visible ASCII characters, or was sent more than once.',
  'idempotency-key-reused': 'The `Idempotency-Key` was already used for a different request to this script.',
  'idempotency-run-gone': 'The run of this `Idempotency-Key` was deleted.',
  'caller-stopping': 'The calling run is being stopped.',
  'progress-needs-run': 'The address of the request does not identify a run, so it cannot report progress.',
  'not-for-runs': 'A run token cannot call this operation.',
  'run-token-unknown': 'The run token in the address belongs to no run.',
  'door-protocol': 'The request is not plain HTTP/1.0 or HTTP/1.1 with a path as its target.',
  'door-method': 'OPTIONS is refused. Hob does not answer CORS preflight requests.',
  'door-host-missing': 'The request has no Host header, or more than one.',
  'door-host': 'The Host header is not one of the addresses of this service.',
  'door-origin': 'The request comes from a web page of another origin.',
  'door-fetch-site': 'The browser reports that another site caused the request.',
  'door-token': 'The service requires a token, and the request has none or a wrong one.',
  'door-user': 'The request comes from another user of the machine, and the service requires no token.',
  'door-busy': 'Too many connections are open.',
  'request-malformed': 'The received bytes are not a valid HTTP request.',
  'request-header-too-large': 'The request header is too large.',
  'request-timeout': 'The request took too long to arrive.',
  internal: 'A defect in Hob. See the log for details.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof errorCodes;

interface AppErrorOptions {
  /** The next step for the user. */
  hint?: Text;
  cause?: unknown;
  /** Seconds after which a retry makes sense. */
  retryAfterS?: number;
  /** The request fields at fault, such as `params.key`, so that programs need not parse the text. */
  fields?: readonly string[];
  /** The files and folders at fault. */
  files?: readonly string[];
}

/** A refused request. Any other exception is a defect in Hob. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly text: Text;
  readonly hint: Text | undefined;
  readonly retryAfterS: number | undefined;
  readonly fields: readonly string[];
  readonly files: readonly string[];

  constructor(code: ErrorCode, text: Text & AppErrorOptions, options: AppErrorOptions = text) {
    const { en, zh } = text;
    super(en, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.text = { en, zh };
    this.hint = options.hint;
    this.retryAfterS = options.retryAfterS;
    this.fields = options.fields ?? [];
    this.files = options.files ?? [];
  }
}

const exhaustionErrnos = new Set([
  'EMFILE',
  'ENFILE',
  'ENOSPC',
  'EDQUOT',
  'EAGAIN',
  'ENOMEM',
  'EROFS',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
]);

/** The `code` of a system error, or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an errno means that the machine temporarily lacks a resource, as opposed to a defect in Hob. */
export function isExhaustion(errno: string | undefined): errno is string {
  return errno !== undefined && exhaustionErrnos.has(errno);
}

export function exhaustedError(errno: string, cause?: unknown): AppError {
  return new AppError('resources-exhausted', {
    en: `The machine lacks a resource that this run needs (${errno}). Nothing was started. Free the resource, then try again.`,
    zh: `运行所需的系统资源已耗尽（${errno}），脚本未启动，请稍后重试。`,
    cause,
    retryAfterS: 5,
  });
}

/** A failure that the user can fix, described in both languages. Logs contain the English text. */
export class ExplainedError extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.text = text;
  }
}
