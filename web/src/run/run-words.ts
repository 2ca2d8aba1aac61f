import type { Run } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

/** Who wanted it. */
export function originWords(origin: Run['origin'], say: Say): string {
  switch (origin) {
    case 'execute':
      return say('by a program', '由程序调用');
    case 'link':
      return say('by another script', '由其他脚本调用');
    case 'console':
      return say('from the console', '来自控制台');
    case 'cli':
      return say('from the command line', '来自命令行');
    case 'schedule':
      return say('by its schedule', '按计划');
    case 'hob':
      return say('by Hob itself', '由 Hob 发起');
  }
}
