/** What is started when its user logs in, whatever starts it. */
export interface LoginService {
  /** Absolute paths of the program and of its first argument. */
  readonly node: string;
  readonly command: string;
  readonly home: string;
  /** Where its scripts find their interpreters. */
  readonly path: string;
}

/** How a platform has something started when its user logs in. */
export interface Platform {
  /** What people there call it. */
  readonly kind: string;
  /** The file that says what is started. */
  readonly file: string;
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le';
  /** Commands that start it, now and at each login, once the file is there. */
  readonly onInstall: readonly ToolCall[];
  /** Commands that stop it while the file is still there, and those that follow when it is gone. */
  readonly beforeRemoval: readonly ToolCall[];
  readonly afterRemoval: readonly ToolCall[];
  /** Succeeds while it is started. */
  readonly isActive: ToolCall;
  /** A command that tells why it does not run. */
  readonly whyCommand: string;
  /** Why it cannot be had here, with what to do instead; null where it can. */
  fault(): Promise<string | null>;
  /** What is worth knowing once it is installed; null for nothing. */
  advice(): Promise<string | null>;
}

export interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
  /** Whether what it is to do may have been done already, in which case it fails. */
  readonly mayFail?: boolean;
}
