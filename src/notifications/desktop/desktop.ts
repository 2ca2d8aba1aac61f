import type { NotificationType } from '../notifications.ts';

/** What a notification is on the screen. */
export interface Bubble {
  readonly type: NotificationType;
  /** Who sends it: the script's name, or Hob. */
  readonly title: string;
  readonly message: string | null;
  /** 0: until it is closed by hand. */
  readonly durationMs: number;
  readonly showClose: boolean;
  /** What a click on it opens in the browser. */
  readonly address: string | null;
}

export const desktopStates = ['ready', 'unreachable', 'none'] as const;

/**
 * ready: the last attempt worked, or none was needed yet and there is a way. unreachable: there should be a desktop, but it
 * did not answer. none: this machine has none.
 */
export type DesktopState = (typeof desktopStates)[number];

/** The desktop of the person whose scripts these are. */
export interface Desktop {
  /** Shows it and takes it away after its time. Resolves with whether it is on the screen; never rejects, and takes 2.5 s at most. */
  show(bubble: Bubble): Promise<boolean>;
  readonly state: DesktopState;
  close(): Promise<void>;
}
