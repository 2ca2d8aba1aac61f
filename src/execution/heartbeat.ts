const beatMs = 2000;
/** Six seconds, if every beat is in time. */
const mostMisses = 3;

interface HeartbeatEvents {
  /** Sends a message that the other side answers. */
  ping(): void;
  /** Nothing was heard for so long that the other side does not answer. Called once until something is heard. */
  silent(): void;
}

/**
 * Notices that the other side does not answer any more. It counts beats, not time: a beat that comes late, since this process was stopped,
 * asleep or busy, counts once, however late it is. Messages that arrived meanwhile are heard before the next beat.
 */
export class Heartbeat {
  readonly #events: HeartbeatEvents;
  #timer: NodeJS.Timeout | undefined;
  #isUnanswered = false;
  #misses = 0;

  constructor(events: HeartbeatEvents) {
    this.#events = events;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.beat(), beatMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One ping is on its way at a time: a stopped process does not find thousands when it goes on. */
  beat(): void {
    if (!this.#isUnanswered) {
      this.#isUnanswered = true;
      this.#events.ping();
      return;
    }
    this.#misses += 1;
    if (this.#misses === mostMisses) this.#events.silent();
  }

  /** Any message shows that the other side is there. */
  heard(): void {
    this.#isUnanswered = false;
    this.#misses = 0;
  }
}
