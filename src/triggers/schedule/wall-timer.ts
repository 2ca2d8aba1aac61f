import { machineZone } from './machine-zone.ts';

/** Time as schedules need it. Tests simulate it. */
export interface WallTimer {
  /** Wall time in milliseconds since 1970. It may jump. */
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  steady(): number;
  /** Calls back once after a delay on the steady clock. Returns the function that cancels the call. */
  after(delayMs: number, callback: () => void): () => void;
  /** The IANA name of the zone of this machine. It may change. */
  zone(): string;
}

/** A path is read at most this often: listing 10,000 schedules asks for the zone of each. */
const zoneKeptMs = 1000;

/** `fixedZone`: the variable TZ, if it is set. */
export function systemTimer(fixedZone: string | undefined): WallTimer {
  let [zone, readAt] = ['', -Infinity];
  return {
    now: () => Date.now(),
    steady: () => performance.now(),
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(timer);
    },
    zone() {
      if (performance.now() - readAt < zoneKeptMs) return zone;
      zone = machineZone(fixedZone);
      readAt = performance.now();
      return zone;
    },
  };
}
