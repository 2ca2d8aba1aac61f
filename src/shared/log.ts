import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** Logs go to stderr: stdout carries the one line that says where Hob listens. */
export async function createLogger(level: string): Promise<Logger> {
  if (!process.stderr.isTTY) {
    return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  }
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ destination: 2, translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });
  return pino({ level, base: null }, stream);
}
