/** Hob refused a request, or cannot be reached. */
export class HobError extends Error {
  override readonly name = 'HobError';
  /**
   * `not-running`: no service runs. `unreachable`: it did not respond for too long. `not-hob`: the answer does not come from Hob.
   * `no-message`: the refusal does not say why. `home-unusable`: the files that contain the address and the token cannot be read.
   * `inside-run`: a script must use `link`. Otherwise the code of the service; null if the answer has none.
   */
  readonly code: string | null;
  /** The HTTP status of the refusal; null if there was no answer. */
  readonly status: number | null;
  /** How to fix it; may be empty. */
  readonly hint: string;
  /** The fields of the request that are at fault, such as `params.key`, if the service names them. */
  readonly fields: readonly string[];
  /** The files that are at fault, if the service names them. */
  readonly files: readonly string[];

  constructor(
    message: string,
    {
      code,
      status = null,
      hint = '',
      fields = [],
      files = [],
      cause,
    }: {
      code: string | null;
      status?: number | null;
      hint?: string;
      fields?: readonly string[];
      files?: readonly string[];
      cause?: unknown;
    },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.hint = hint;
    this.fields = fields;
    this.files = files;
  }
}

/** The innermost cause of an error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
