import type { RunEnd } from '../../execution/messages.ts';

/** Exit code 0, and neither timed out nor stopped by Hob. */
export function isSuccess(end: Pick<RunEnd, 'cause' | 'exitCode'>): boolean {
  return end.cause === 'exit' && end.exitCode === 0;
}
