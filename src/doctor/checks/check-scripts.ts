import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, ok } from '../finding.ts';

/** Reports the problems of manifests and entries, each with its place. */
export async function checkScripts({ scripts: readScripts }: DoctorContext): Promise<Finding[]> {
  const { scripts, problems } = await readScripts();
  const count = {
    en: scripts.length === 1 ? '1 script loaded' : `${scripts.length} scripts loaded`,
    zh: `${scripts.length} 个脚本可以读取`,
  };
  return [
    ...problems.map(({ severity, file, line, message, advice }): Finding => {
      const place = line === null ? file : `${file}:${line}`;
      return {
        area: 'scripts',
        state: severity === 'error' ? 'problem' : 'note',
        what: { en: `${place}: ${message.en}`, zh: `${place}：${message.zh}` },
        next: advice.en === '' ? null : advice,
      };
    }),
    ok('scripts', count),
  ];
}
