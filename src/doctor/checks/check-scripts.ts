import { type Finding, ok } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** What is wrong with manifests and entries, each with its place. */
export async function checkScripts({ scripts: readScripts }: Patient): Promise<Finding[]> {
  const { scripts, problems } = await readScripts();
  const count = scripts.length === 1 ? '1 script can be read' : `${scripts.length} scripts can be read`;
  return [
    ...problems.map(({ severity, file, line, message, advice }): Finding => {
      const place = line === null ? file : `${file}:${line}`;
      return {
        area: 'scripts',
        state: severity === 'error' ? 'problem' : 'note',
        what: `${place}: ${message.en}`,
        next: advice.en === '' ? null : advice.en,
      };
    }),
    ok('scripts', count),
  ];
}
