import type { Run } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

/** A phrase about the origin of a run. */
export function originWords(origin: Run['origin'], say: Say): string {
  switch (origin) {
    case 'execute':
      return say('started through the API', '由程序调用');
    case 'link':
      return say('started by another script', '由其他脚本调用');
    case 'console':
      return say('started from the console', '来自控制台');
    case 'cli':
      return say('started from the command line', '来自命令行');
    case 'schedule':
      return say('started by a schedule', '按计划');
    case 'hob':
      return say('started by Hob', '由 Hob 发起');
  }
}
