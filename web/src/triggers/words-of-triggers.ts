import { CalendarClock, FolderOpen, type LucideIcon, Webhook } from 'lucide-react';

import type { FiringOutcome, Trigger, TriggerKind, TriggerState } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

export const kindIcons: Readonly<Record<TriggerKind, LucideIcon>> = {
  schedule: CalendarClock,
  folder: FolderOpen,
  webhook: Webhook,
};

export function kindName(kind: TriggerKind, say: Say): string {
  const names: Readonly<Record<TriggerKind, string>> = {
    schedule: say('Schedule', '计划'),
    folder: say('Folder', '文件夹'),
    webhook: 'Webhook',
  };
  return names[kind];
}

export function newKindName(kind: TriggerKind, say: Say): string {
  const names: Readonly<Record<TriggerKind, string>> = {
    schedule: say('New schedule', '新建计划'),
    folder: say('New folder', '新建文件夹触发器'),
    webhook: say('New webhook', '新建 Webhook'),
  };
  return names[kind];
}

/** `problem`: it is on, but cannot start runs. */
export type ShownState = TriggerState | 'problem';

export function shownState({ state, problems }: Pick<Trigger, 'state' | 'problems'>): ShownState {
  return state === 'on' && problems.length > 0 ? 'problem' : state;
}

export function stateName(state: ShownState, say: Say): string {
  const names: Readonly<Record<ShownState, string>> = {
    on: say('On', '已启用'),
    problem: say('Problem', '有问题'),
    off: say('Paused', '已暂停'),
    broken: say('Broken', '有错误'),
    'script-missing': say('Script missing', '缺少脚本'),
  };
  return names[state];
}

export function outcomeName(outcome: FiringOutcome, say: Say): string {
  const names: Readonly<Record<FiringOutcome, string>> = {
    fired: say('Fired', '已触发'),
    skipped: say('Skipped', '已跳过'),
    refused: say('Refused', '已拒绝'),
  };
  return names[outcome];
}

/** When a trigger starts runs, or its kind if the service has no words for it, for example because it is broken. */
export function triggerWords(
  { words, kind }: { readonly words: string; readonly kind: TriggerKind | null },
  say: Say,
): string {
  if (words !== '') return words;
  return kind === null ? say('Unknown kind', '未知类型') : kindName(kind, say);
}

/** The address of the page of a trigger. */
export function triggerPath(id: string): string {
  return `/triggers/${encodeURIComponent(id)}`;
}
