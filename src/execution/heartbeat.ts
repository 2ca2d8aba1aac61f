const beatMs = 2000;
/** Six seconds, if every beat is on time. */
const mostMisses = 3;

interface HeartbeatEvents {
  /** Sends a message that the peer answers. */
  ping(): void;
  /** The peer has not sent anything for too long. Called once until the peer sends something again. */
  silent(): void;
}

/**
 * Notices that the peer does not answer any more. It counts beats, not time: a beat that is late because this process
 * was stopped, suspended or busy counts once, however late it is. Messages that arrived meanwhile are processed before
 * the next beat.
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

  /** Only one ping is pending at a time, so that a stopped peer does not find thousands of pings when it continues. */
  beat(): void {
    if (!this.#isUnanswered) {
      this.#isUnanswered = true;
      this.#events.ping();
      return;
    }
    this.#misses += 1;
    if (this.#misses === mostMisses) this.#events.silent();
  }

  /** Any message shows that the peer is alive. */
  heard(): void {
    this.#isUnanswered = false;
    this.#misses = 0;
  }
}
