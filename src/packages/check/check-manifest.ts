import { missingDependencies, missingEntry } from '../../scripts/catalogue-problems.ts';
import { confine } from '../../scripts/confine.ts';
import { KeyLocator, type KeyPath } from '../../scripts/locate-keys.ts';
import { maxManifestBytes, parseToml } from '../../scripts/manifest-toml.ts';
import { describePath } from '../../scripts/read-manifest.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';

/** Returns the script with this id, or null. */
export type FindScript = (id: string) => Pick<Script, 'name' | 'version'> | null;

/** Finds wrong statements in a valid manifest, with their lines. */
export async function checkManifest(script: Script, findScript: FindScript | undefined): Promise<Problem[]> {
  const read = await readRegularFile(script.manifestPath, { maxBytes: maxManifestBytes });
  const parsed = read.kind === 'content' ? parseToml(read.bytes) : null;
  const locator = new KeyLocator(parsed?.text ?? '');
  const lineOf = (...path: KeyPath) => locator.lineOf([script.rootTable, ...path]);
  const found: Problem[] = [];
  const note = (line: number | null, message: Text, advice: Text) =>
    found.push({ severity: 'note', file: script.manifestPath, line, message, advice });

  const entry = await missingEntry(script);
  if (entry !== null) found.push({ ...entry, line: lineOf('runtime', 'entry') });
  if (script.icon !== null) {
    const icon = await confine(script.folder, script.icon);
    if (icon !== 'ok') {
      note(lineOf('info', 'icon'), describePath('icon', script.icon, icon), {
        en: 'Add the image, or remove the line.',
        zh: '请添加图片，或删除该行。',
      });
    }
  }
  const params = new Set(script.params.map(({ name }) => name));
  for (const [index, { name, when }] of script.params.entries()) {
    if (when === null || params.has(when.field)) continue;
    note(
      lineOf('params', index, 'when'),
      {
        en: `The param "${name}" depends on "${when.field}", which is not declared`,
        zh: `参数 "${name}" 依赖未声明的 "${when.field}"`,
      },
      { en: 'Declare it, or correct the name.', zh: '请声明该参数，或修正名称。' },
    );
  }
  const missing = findScript === undefined ? [] : missingDependencies(script, findScript);
  return [...found, ...missing.map((problem) => ({ ...problem, line: lineOf('dependencies') }))];
}
