import { errnoOf } from './errors.ts';

/** Whether there is a process with this id, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
