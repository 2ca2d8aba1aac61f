import type { Json } from '../shared/json.ts';
import type { ScriptLanguage } from './languages.ts';
import type { SectionReader } from './read-section.ts';

/** Names separated by dots, as in an import statement. */
const moduleName = /^[\p{XID_Start}_]\p{XID_Continue}*(?:\.[\p{XID_Start}_]\p{XID_Continue}*)*$/u;

/** Reads the modules to preload. */
export function readPreload(
  section: SectionReader,
  value: Json | undefined,
  language: ScriptLanguage | null,
): string[] {
  // The schema check reports values that are not a list of strings.
  if (!Array.isArray(value)) return [];
  const path = [section.rootName, 'runtime', 'preload'];
  if (language !== null && language !== 'python') {
    section.report(
      'note',
      path,
      {
        en: `preload has no effect, because the language is ${language}`,
        zh: `preload 不起作用：语言为 ${language}`,
      },
      { en: 'Remove it. Only Python scripts can use it.', zh: '请删除，仅适用于 Python 脚本。' },
    );
    return [];
  }
  const names = value.filter((name) => typeof name === 'string');
  for (const [index, name] of value.entries()) {
    if (typeof name !== 'string' || moduleName.test(name)) continue;
    section.report(
      'error',
      [...path, index],
      {
        en: `preload "${name}" is not the name of a Python module`,
        zh: `preload "${name}" 不是 Python 模块名`,
      },
      {
        en: 'Write it as in an import statement, such as "numpy" or "xml.etree.ElementTree".',
        zh: '请按 import 语句的写法填写，例如 "numpy" 或 "xml.etree.ElementTree"。',
      },
    );
  }
  return names;
}
