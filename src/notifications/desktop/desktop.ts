import type { DesktopState, NotificationType } from '../../contract/values.ts';

export interface Bubble {
  readonly type: NotificationType;
  /** The sender: the name of the script, or Hob. */
  readonly title: string;
  readonly message: string | null;
  /** 0: until the user closes it. */
  readonly durationMs: number;
  readonly showClose: boolean;
  /** The address that a click opens in the browser. */
  readonly address: string | null;
}

export interface Desktop {
  /** Shows a bubble for its duration. Resolves within 2.5 s with whether it is visible; never rejects. */
  show(bubble: Bubble): Promise<boolean>;
  readonly state: DesktopState;
  close(): Promise<void>;
}
