import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';

import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

const stderr = 2;

/** Logs go to stderr, because stdout carries the line with the address on which Hob listens. */
export async function createLogger(level: string): Promise<Logger> {
  const write = openLog();
  if (!isatty(stderr)) {
    return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  }
  const { default: pretty } = await import('pino-pretty');
  const destination = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  return pino(
    { level, base: null },
    pretty({ destination, translateTime: 'SYS:HH:MM:ss', singleLine: true }),
  );
}

/**
 * Writes lines to stderr. Pino's own destination blocks the whole process until a full disk accepts the line. Here a
 * line that cannot be written is lost, and a partly written line does not corrupt the next one.
 */
function openLog(): (line: string) => void {
  let isTorn = false;
  return (line) => {
    const bytes = Buffer.from(isTorn ? `\n${line}` : line);
    let done = 0;
    try {
      // A pipe that is almost full accepts only the beginning.
      while (done < bytes.length) done += writeSync(stderr, bytes, done);
    } catch {
      // There is no other place to report it.
    }
    if (done > 0) isTorn = done < bytes.length;
  };
}
