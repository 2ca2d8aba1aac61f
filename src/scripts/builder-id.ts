import type { SectionReader } from './read-section.ts';

/** The id of Hob's own script that builds environments. */
export const builderId = '6d2f1f0e-53f4-4c39-9a2b-7d0c8b1e4a55';

/** Refuses this id in other scripts, because they would be started instead of the builder. */
export function refuseBuilderId({ report, rootName }: SectionReader, id: string): void {
  if (id.toLowerCase() !== builderId) return;
  report('error', [rootName, 'info', 'id'], {
    en: 'This id is reserved for a program of Hob',
    zh: '此 id 已被 Hob 自身的程序使用',
    advice: {
      en: 'Give the script a new UUID (uuidgen generates one).',
      zh: '请为脚本更换 UUID（可用 uuidgen 生成）。',
    },
  });
}
