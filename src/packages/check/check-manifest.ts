import { missingEntry } from '../../scripts/catalogue-problems.ts';
import { confine } from '../../scripts/confine.ts';
import { KeyLocator, type KeyPath } from '../../scripts/locate-keys.ts';
import { maxManifestBytes, parseToml } from '../../scripts/manifest-toml.ts';
import { describePath } from '../../scripts/read-manifest.ts';
import type { Problem, Script } from '../../scripts/script.ts';
import { isJsonObject } from '../../shared/json.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import { showName } from '../fetch/show-name.ts';

/** What a manifest says that is not so, though it can be read: with the line where it says it. */
export async function checkManifest(
  script: Script,
  knowsScript: ((id: string) => boolean) | undefined,
): Promise<Problem[]> {
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
        en: 'Add the picture, or remove the line.',
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
  if (knowsScript === undefined || parsed?.kind !== 'table') return found;
  for (const [index, id] of dependenciesOf(parsed.table[script.rootTable]).entries()) {
    if (id === null || knowsScript(id)) continue;
    note(
      lineOf('dependencies', index, 'id'),
      {
        en: `The script ${showName(id)}, which this one needs, is not installed`,
        zh: `所依赖的脚本 ${showName(id)} 未安装`,
      },
      { en: 'Install it, too; the order does not matter.', zh: '请同时安装它，先后顺序不限。' },
    );
  }
  return found;
}

/** The ids of other scripts, each in its place; null for what is none. */
function dependenciesOf(root: unknown): (string | null)[] {
  const declared = isJsonObject(root) ? root.dependencies : undefined;
  if (!Array.isArray(declared)) return [];
  return declared.map((each) =>
    isJsonObject(each) && typeof each.id === 'string' ? each.id.toLowerCase() : null,
  );
}
