/** The program that starts at login. */
export interface LoginService {
  /** Absolute paths of Node and of the `hob` script. */
  readonly node: string;
  readonly command: string;
  readonly home: string;
  /** PATH, in which scripts find their interpreters. */
  readonly path: string;
}

/** How a platform starts a program at login. */
export interface Platform {
  /** Name of the mechanism, such as systemd. */
  readonly kind: string;
  /** The configuration file. */
  readonly file: string;
  readonly text: string;
  readonly encoding: 'utf8' | 'utf16le';
  /** Commands that start the service now and enable it at login, after the file is written. */
  readonly onInstall: readonly ToolCall[];
  /** Commands to run before and after the file is removed. */
  readonly beforeRemoval: readonly ToolCall[];
  readonly afterRemoval: readonly ToolCall[];
  /** A command that succeeds while the service is active. */
  readonly isActive: ToolCall;
  /** A command that shows why the service does not run. */
  readonly diagnosisCommand: string;
  /** Why the platform is not usable, with advice; null if it is usable. */
  fault(): Promise<string | null>;
  /** Advice to show after the installation; null for none. */
  advice(): Promise<string | null>;
}

export interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
  /** Whether a failure is ignored, because the work may already be done. */
  readonly mayFail?: boolean;
}
