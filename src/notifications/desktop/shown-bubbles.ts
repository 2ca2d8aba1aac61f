/** A visible bubble. */
export interface ShownBubble {
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
export class ShownBubbles {
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

function keyOf({ id, owner }: Pick<ShownBubble, 'id' | 'owner'>): string {
  return `${id} ${owner}`;
}
