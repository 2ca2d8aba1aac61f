/** A bubble that is on the screen. */
export interface ShownBubble {
  readonly id: number;
  /** Whose number that is. */
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

/** Remembers what is on the screen, and says when the time of each is over. */
export class ShownBubbles {
  readonly #expire: (bubble: ShownBubble) => void;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(expire: (bubble: ShownBubble) => void) {
    this.#expire = expire;
  }

  /** With 0 its time is never over. */
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

  /** One of whose buttons was clicked, once for each: a daemon that says so without end must not open a page without end. */
  click(bubble: Pick<ShownBubble, 'id' | 'owner'>, button: Button): ShownBubble | undefined {
    const kept = this.#kept.get(keyOf(bubble));
    if (kept === undefined || kept.clicked.has(button)) return undefined;
    kept.clicked.add(button);
    if (button === 'close') kept.isOver = true;
    return kept;
  }

  /** Forgets one, which is gone or is about to go. */
  take(bubble: Pick<ShownBubble, 'id' | 'owner'>): void {
    const key = keyOf(bubble);
    clearTimeout(this.#kept.get(key)?.timer ?? undefined);
    this.#kept.delete(key);
  }

  /** Forgets those of other daemons, which are gone with them, and gives back those that should be gone. */
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
