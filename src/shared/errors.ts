import type { Text } from './text.ts';

/**
 * Every reason for which Hob refuses a request, with the sentence that documents it.
 * The list is closed: a code that is not here cannot be thrown, and one that is here has a status in `http/`.
 * @public docs/errors.md is made from it
 */
export const errorCodes = {
  'script-id-missing': 'The request names no `script_id`.',
  'script-unknown': 'No script has this id.',
  'script-unusable':
    'The script is known but cannot run: its id is used twice, its manifest is broken or its entry is gone.',
  'icon-unknown':
    'The script has no icon that can be shown: none is named, or it is not there, too large or no picture.',
  'script-not-a-node': 'The target of a link does not declare itself a node.',
  'chain-too-deep': 'The link would be the ninth level of its chain.',
  'temp-file-missing': 'The `temp_file` does not exist.',
  'temp-file-invalid':
    'The `temp_file` is relative, not a regular file, too large, unreadable or not what it claims to be.',
  'field-invalid': 'A field of the request has the wrong type.',
  'data-invalid': '`data` does not fit the main input of the script.',
  'params-invalid': '`params` do not fit what the script declares.',
  'body-malformed': 'The body cannot be parsed, or is not an object.',
  'body-too-large': 'The body is larger than the limit for its type.',
  'content-type-unsupported': 'The body is of a type that this operation does not take.',
  'queue-full': 'As many runs wait as are allowed to.',
  'queue-wait-exceeded': 'The run waited for a free slot as long as it was allowed to.',
  'wait-circle': 'The link, or the repeated execute, would wait for a run that waits for it.',
  'untraced-links-full': 'It cannot be told which run is calling, and too many such links are active.',
  'resources-exhausted': 'The machine is out of disk space, file handles, processes or memory.',
  'service-stopping': 'The service is shutting down and takes no new work.',
  'executor-unavailable': 'The process that runs scripts cannot be started or reached, or does not answer.',
  'notify-content-type': 'A notification was not sent as JSON.',
  'notify-invalid': 'A field of the notification is missing or wrong.',
  'repo-id-invalid': 'The `repo_id` is missing or is not of the form `owner/name`.',
  'model-not-downloaded': 'No complete download of the model was found.',
  'download-unknown': 'No download has this id, or it ended long ago.',
  'downloads-full': 'As many downloads are under way, or wait for their turn, as are allowed to.',
  'download-ended': 'The download has ended already, so it cannot be stopped.',
  'model-not-removable':
    'The model lies in a folder of `model_folders`, where Hob removes nothing, or the system does not let it be removed.',
  'model-downloading': 'The model is being downloaded, so it cannot be removed.',
  'hub-not-found': 'The hub has no such model, or no such revision of it.',
  'hub-denied': 'The hub wants a token, or a licence to be accepted, before it gives out the model.',
  'hub-unreachable':
    'The hub cannot be reached, breaks off, is too busy or answers with an error; or downloads are switched off.',
  'hub-answer-invalid': 'The hub sent something that cannot be right, so nothing of it was used.',
  'download-nothing-matches': 'None of the files of the model matches what was asked for.',
  'download-corrupt': 'What arrived is not what the hub had announced, by its size or its hash.',
  'download-cache-unusable': 'The folder that the model is to be put into cannot be used.',
  'package-source-invalid':
    'What is to be installed is neither a folder, nor an archive, nor the address of a git repository, or it is not there.',
  'package-unreadable': 'The archive is damaged, encrypted, or not what its name says.',
  'package-unsafe':
    'The package has entries that could do harm: paths that lead out of it, links, devices, or names that clash.',
  'package-too-large': 'The package has more entries, more bytes or deeper folders than are taken.',
  'package-not-a-script': 'There is no manifest in the package, or several and no `path` to choose by.',
  'package-broken': 'Something is wrong with the manifest of the package or with its files.',
  'package-fetch-failed': 'The repository could not be fetched.',
  'package-installed': 'The script is installed already, or another folder has a script with its id.',
  'package-not-installed': 'No installed package has this id.',
  'package-busy': 'Something is being done with this script already, or with as many as are allowed at once.',
  'package-no-previous': 'No earlier version of the package is kept.',
  'operation-unknown': 'No operation has this id, or it ended long ago.',
  'operation-ended': 'The operation has ended already, so it cannot be stopped.',
  'environment-failed': 'What the script needs to run could not be prepared.',
  'environment-unknown': 'There is no such environment.',
  'environment-in-use': 'The environment is being built, or a run uses it, so it cannot be removed.',
  'folder-unknown': 'There is no such folder on this machine.',
  'folder-unreadable': 'The system does not let Hob look into the folder.',
  'folder-invalid': 'What is at this place is no folder.',
  'folder-missing': 'There is nothing at the path whose folder is to be opened.',
  'desktop-unavailable': 'There is no desktop to open the folder on, or nothing on it that opens folders.',
  'path-unknown': 'There is nothing at this path.',
  'method-not-allowed': 'The path exists, but not for this method.',
  'run-unknown': 'No run has this id.',
  'run-ended':
    'The run has ended already: it can neither be cancelled nor typed into, nor report its progress.',
  'run-without-terminal': 'The run has no terminal that a page could show, or has not got it yet.',
  'run-not-ended': 'The run has not ended yet, so it cannot be deleted.',
  'range-not-satisfiable':
    'There is nothing of the range that was asked for: it was not kept, or is beyond the end.',
  'secrets-needed': 'Secrets are not kept, so a run with some can be repeated only when they are sent again.',
  'idempotency-key-invalid':
    'The `Idempotency-Key` is not 1 to 255 visible ASCII characters, or there are several.',
  'idempotency-key-reused': 'The `Idempotency-Key` was used for another request to run this script.',
  'idempotency-run-gone': 'The run that the `Idempotency-Key` belongs to was deleted.',
  'caller-stopping': 'The run that calls is itself being stopped.',
  'progress-needs-run': 'Progress was reported by way of an address that names no run.',
  'run-token-unknown': 'The run token in the address belongs to no run.',
  'door-protocol': 'The request is not plain HTTP/1.0 or HTTP/1.1 with a path as its target.',
  'door-method': 'OPTIONS is refused: Hob answers no cross-origin preflight.',
  'door-host-missing': 'The request has no Host header, or more than one.',
  'door-host': 'The Host header is not one of the addresses of this service.',
  'door-origin': 'The request comes from a web page of another origin.',
  'door-fetch-site': 'The browser says that another site caused the request.',
  'door-token': 'The token of this home is needed, and was not sent or is not right.',
  'door-busy': 'There are as many connections as are allowed.',
  'request-malformed': 'The bytes received are not an HTTP request.',
  'request-header-too-large': 'The header of the request is too large.',
  'request-timeout': 'The request took too long to arrive.',
  internal: 'A defect in Hob. The log has the details.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof errorCodes;

interface AppErrorOptions {
  hint?: Text;
  cause?: unknown;
  /** How soon it makes sense to ask again. */
  retryAfterS?: number;
  /** What of the request it is about, such as `params.key`: for programs, which should not have to read the text. */
  fields?: readonly string[];
  /** The files and folders that are at fault, likewise. */
  files?: readonly string[];
}

/** A refused request. Anything else that is thrown is a defect of Hob itself. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly text: Text;
  readonly hint: Text | undefined;
  readonly retryAfterS: number | undefined;
  readonly fields: readonly string[];
  readonly files: readonly string[];

  constructor(code: ErrorCode, text: Text, options: AppErrorOptions = {}) {
    super(text.en, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.text = text;
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

/** Whether an errno means that the machine ran out of something, which passes, rather than that we did something wrong. */
export function isExhaustion(errno: string | undefined): errno is string {
  return errno !== undefined && exhaustionErrnos.has(errno);
}

export function exhaustedError(errno: string, cause?: unknown): AppError {
  return new AppError(
    'resources-exhausted',
    {
      en: `The machine is out of a resource that this run needs (${errno}). Nothing was started; try again when it is free.`,
      zh: `运行所需的系统资源已耗尽（${errno}），脚本未启动，请稍后重试。`,
    },
    { cause, retryAfterS: 5 },
  );
}
