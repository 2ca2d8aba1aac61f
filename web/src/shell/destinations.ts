import {
  Activity,
  Bell,
  Bot,
  Box,
  Braces,
  History,
  type LucideIcon,
  Settings,
  SquareTerminal,
  Zap,
} from 'lucide-react';

import type { Say } from '../language/language.tsx';

export interface Destination {
  readonly path: string;
  readonly icon: LucideIcon;
  readonly name: (say: Say) => string;
  /** Whether it is in the bottom bar on phones, which has no room for all pages. */
  readonly isMain: boolean;
}

/** The pages in the order of the navigation. */
export const destinations: readonly Destination[] = [
  { path: '/', icon: SquareTerminal, name: (say) => say('Scripts', '脚本'), isMain: true },
  { path: '/runs', icon: History, name: (say) => say('Runs', '运行记录'), isMain: true },
  { path: '/triggers', icon: Zap, name: (say) => say('Triggers', '触发器'), isMain: true },
  { path: '/agents', icon: Bot, name: (say) => say('Agents', '智能体'), isMain: false },
  { path: '/overview', icon: Activity, name: (say) => say('Overview', '概览'), isMain: true },
  { path: '/models', icon: Box, name: (say) => say('Models', '模型'), isMain: true },
  { path: '/notifications', icon: Bell, name: (say) => say('Notifications', '通知'), isMain: false },
  { path: '/docs', icon: Braces, name: (say) => say('API', '接口'), isMain: false },
  { path: '/settings', icon: Settings, name: (say) => say('Settings', '设置'), isMain: true },
];

/** Whether the location is the page or one of its subpages. */
export function isAt(path: string, location: string): boolean {
  if (path === '/') return location === '/' || location.startsWith('/scripts');
  return location === path || location.startsWith(`${path}/`);
}
