import { fileURLToPath } from 'node:url';

import type { DesktopState, NotificationType } from '../../contract/values.ts';
import type { Logger } from '../../shared/log.ts';
import { longestTimerMs } from '../../shared/longest-timer.ts';
import type { Language, Text } from '../../shared/text.ts';
import { bodyText, titleText } from './bubble-text.ts';
import { type BusAddress, findBusAddress } from './bus-address.ts';
import { refusalOf } from './bus-connection.ts';
import { describeTrouble } from './describe-trouble.ts';
import type { Bubble, Desktop } from './desktop.ts';
import { DesktopHealth } from './desktop-health.ts';
import { type DaemonEvent, NotificationDaemon } from './notification-daemon.ts';

interface ShownBubble {
  readonly id: number;
  /** The daemon that owns the id. */
  readonly owner: string;
  readonly address: string | null;
}

interface Kept extends ShownBubble {
  readonly timer: NodeJS.Timeout | null;
  readonly clicked: Set<Button>;
  isOver: boolean;
}

type Button = 'default' | 'close';

const most = 50;

/** Tracks visible bubbles, and reports when the duration of each is over. */
class ShownBubbles {
  readonly #expire: (bubble: ShownBubble) => void;
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(expire: (bubble: ShownBubble) => void) {
    this.#expire = expire;
  }

  /** With duration 0, the bubble does not expire. */
  add(bubble: ShownBubble, durationMs: number): void {
    this.take(bubble);
    const end = () => {
      kept.isOver = true;
      this.#expire(bubble);
    };
    const timer = durationMs === 0 ? null : setTimeout(end, durationMs);
    timer?.unref();
    const kept: Kept = { ...bubble, timer, clicked: new Set(), isOver: false };
    this.#kept.set(keyOf(bubble), kept);
    const [oldest] = this.#kept.values();
    if (this.#kept.size > most && oldest !== undefined) {
      this.take(oldest);
      this.#expire(oldest);
    }
  }

  /** Returns a clicked bubble, once only: a daemon that repeats the signal must not open pages without end. */
  click(bubble: Pick<ShownBubble, 'id' | 'owner'>, button: Button): ShownBubble | undefined {
    const kept = this.#kept.get(keyOf(bubble));
    if (kept === undefined || kept.clicked.has(button)) return undefined;
    kept.clicked.add(button);
    if (button === 'close') kept.isOver = true;
    return kept;
  }

  /** Removes a bubble that is closed or about to close. */
  take(bubble: Pick<ShownBubble, 'id' | 'owner'>): void {
    const key = keyOf(bubble);
    clearTimeout(this.#kept.get(key)?.timer ?? undefined);
    this.#kept.delete(key);
  }

  /** Removes the bubbles of other daemons, and returns those that should have expired. */
  sift(owner: string): ShownBubble[] {
    for (const bubble of this.#kept.values()) if (bubble.owner !== owner) this.take(bubble);
    return [...this.#kept.values()].filter((bubble) => bubble.isOver);
  }

  clear(): void {
    for (const bubble of this.#kept.values()) this.take(bubble);
  }
}

interface DbusDesktopOptions {
  environment: Readonly<Record<string, string>>;
  /** Language of button labels. */
  language: Language;
  log: Logger;
  /** Opens the page of a clicked bubble. */
  openAddress: (address: string) => void;
}

interface Opened {
  readonly identity: string;
  readonly opening: Promise<NotificationDaemon>;
  /** Null until the connection is open. */
  daemon: NotificationDaemon | null;
}

/** An attempt may take 2.5 s; the difference is a margin for a busy machine. */
const attemptMs = 2000;
/** Time within the attempt to wait for a daemon that restarts. */
const restartMs = 1500;

// Low urgency is not used: GNOME does not show it.
const urgencies: Record<NotificationType, number> = { success: 1, info: 1, error: 2 };
const closeLabel: Text = { en: 'Close', zh: '关闭' };
const openLabel: Text = { en: 'Open', zh: '打开' };

/** A Linux desktop. Every notification daemon has the same name on the session bus. */
export class DbusDesktop implements Desktop {
  readonly #options: DbusDesktopOptions;
  readonly #health: DesktopHealth;
  readonly #shown = new ShownBubbles((bubble) => void this.#takeAway(bubble));
  #opened: Opened | null = null;
  #isClosed = false;

  constructor(options: DbusDesktopOptions) {
    this.#options = options;
    this.#health = new DesktopHealth(options.log);
  }

  get state(): DesktopState {
    return findBusAddress(this.#options.environment) === null ? 'none' : this.#health.state;
  }

  async show(bubble: Bubble): Promise<boolean> {
    const address = findBusAddress(this.#options.environment);
    if (this.#isClosed || address === null || this.#health.isPaused(address.identity)) return false;
    try {
      await this.#attempt(bubble, address, AbortSignal.timeout(attemptMs));
    } catch (error) {
      if (this.#isClosed) return false;
      const { problem, hint } = describeTrouble(error, address.path);
      this.#health.failed(address.identity, { problem: problem.en, hint: hint.en }, error);
      return false;
    }
    this.#health.worked();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Visible bubbles stay: the daemon knows their duration.
    this.#shown.clear();
    this.#opened?.daemon?.drop();
  }

  async #attempt(bubble: Bubble, address: BusAddress, signal: AbortSignal): Promise<void> {
    try {
      await this.#tryOnce(bubble, address, signal);
    } catch (error) {
      if (signal.aborted || refusalOf(error) !== null) throw error;
      // The connection was stale. A new one may work: after a login, the bus is another one.
      await this.#tryOnce(bubble, address, signal);
    }
  }

  /** Waits briefly for a daemon that is restarting, so that the bubble is not lost. */
  async #tryOnce(bubble: Bubble, address: BusAddress, signal: AbortSignal): Promise<void> {
    const daemon = await this.#open(address, signal);
    const patientUntilMs = performance.now() + restartMs;
    for (;;) {
      try {
        return await this.#notify(daemon, bubble, signal);
      } catch (error) {
        if (signal.aborted || performance.now() > patientUntilMs || !isNobody(error)) throw error;
      }
      await daemon.somebodyThere(patientUntilMs - performance.now(), signal);
    }
  }

  async #notify(daemon: NotificationDaemon, bubble: Bubble, signal: AbortSignal): Promise<void> {
    const capabilities = await daemon.capabilities(signal);
    const { language } = this.#options;
    const actions: string[] = [];
    if (capabilities.has('actions')) {
      if (bubble.address !== null) actions.push('default', openLabel[language]);
      if (bubble.showClose) actions.push('close', closeLabel[language]);
    }
    // The maximum of a timer is also the maximum of the message field.
    const expireMs = Math.min(Math.max(0, Math.round(bubble.durationMs)), longestTimerMs);
    const id = await daemon.notify(
      {
        icon: fileURLToPath(new URL(`../../../assets/icons/${bubble.type}.png`, import.meta.url)),
        title: titleText(bubble.title),
        body: bodyText(bubble.message, capabilities.has('body-markup')),
        actions,
        urgency: urgencies[bubble.type],
        expireMs,
      },
      signal,
    );
    // Hob also uses a timer: some daemons keep critical bubbles until the user clicks.
    this.#shown.add({ id, owner: daemon.owner ?? '', address: bubble.address }, expireMs);
  }

  /** Returns the daemon on the current connection, or on a new one. */
  async #open(address: BusAddress, signal: AbortSignal): Promise<NotificationDaemon> {
    const { identity, path } = address;
    const current = this.#opened;
    if (current !== null && current.identity === identity && current.daemon?.isOpen !== false) {
      return current.opening;
    }
    current?.daemon?.drop();
    const opened: Opened = { identity, opening: NotificationDaemon.open(path, signal), daemon: null };
    this.#opened = opened;
    try {
      opened.daemon = await opened.opening;
    } catch (error) {
      if (this.#opened === opened) this.#opened = null;
      throw error;
    }
    this.#welcome(opened.daemon);
    return opened.daemon;
  }

  #welcome(daemon: NotificationDaemon): void {
    daemon.events.subscribe((event) => this.#hear(daemon, event));
    if (this.#isClosed) daemon.drop();
    for (const bubble of this.#shown.sift(daemon.owner ?? '')) void this.#takeAway(bubble);
  }

  #hear(daemon: NotificationDaemon, event: DaemonEvent): void {
    const owner = daemon.owner ?? '';
    if (event.type === 'changed') {
      this.#shown.sift(owner);
      if (owner !== '') this.#health.endPause();
      return;
    }
    // The bus sends signals to all clients: most concern bubbles of other programs.
    const { id } = event;
    if (event.type === 'closed') {
      this.#shown.take({ id, owner });
      return;
    }
    if (event.action !== 'close' && event.action !== 'default') return;
    const bubble = this.#shown.click({ id, owner }, event.action);
    if (bubble === undefined) return;
    if (event.action === 'close') void this.#takeAway(bubble);
    else if (bubble.address !== null) this.#options.openAddress(bubble.address);
  }

  async #takeAway(bubble: ShownBubble): Promise<void> {
    const address = findBusAddress(this.#options.environment);
    if (address === null || this.#isClosed) return;
    try {
      const signal = AbortSignal.timeout(attemptMs);
      const daemon = await this.#open(address, signal);
      if (daemon.owner === bubble.owner) await daemon.closeNotification(bubble.id, signal);
    } catch (error) {
      // Without a reply, the bubble may still be visible; the next connection removes it. A refusal means that it is gone.
      if (refusalOf(error) === null) return;
    }
    this.#shown.take(bubble);
  }
}

function isNobody(error: unknown): boolean {
  const name = refusalOf(error)?.replace('org.freedesktop.DBus.Error.', '');
  return name === 'ServiceUnknown' || name === 'NameHasNoOwner' || name === 'NoReply';
}

function keyOf({ id, owner }: Pick<ShownBubble, 'id' | 'owner'>): string {
  return `${id} ${owner}`;
}
