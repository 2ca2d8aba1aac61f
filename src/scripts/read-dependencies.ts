import Value from 'typebox/value';

import type { Json } from '../shared/json.ts';
import { DependencySchema } from './manifest-schema.ts';
import type { SectionReader } from './read-section.ts';
import { parseVersionRange } from './runtimes/version-range.ts';
import type { ScriptDependency } from './script.ts';

/**
 * Reads the scripts that this script calls, from tables or plain ids. Other values are noted and ignored, so that scripts from
 * before this section was introduced still run.
 */
export function readDependencies({ raw, report, rootName }: SectionReader): ScriptDependency[] {
  const value = raw('dependencies');
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).flatMap((item, index) => {
    const path = [rootName, 'dependencies', index];
    const dependency = readDependency(typeof item === 'string' ? { id: item } : item);
    if (dependency === null) {
      report(
        'note',
        path,
        { en: 'A dependency has no valid script id and is ignored', zh: '依赖项不是脚本 ID，已忽略' },
        {
          en: 'Write [[service.dependencies]] with id = "…" for each script that this script calls.',
          zh: '请为每个被调用的脚本写 [[service.dependencies]]，并填写 id = "…"。',
        },
      );
      return [];
    }
    if (dependency.version === null || parseVersionRange(dependency.version) !== null) return [dependency];
    report(
      'note',
      [...path, 'version'],
      {
        en: `version "${dependency.version}" is not a valid range, so any version is accepted`,
        zh: `无法识别 version "${dependency.version}"，不限制版本`,
      },
      { en: 'Write a range such as ">=1.2".', zh: '请写成 ">=1.2" 的形式。' },
    );
    return [{ ...dependency, version: null }];
  });
}

function readDependency(item: Json): ScriptDependency | null {
  if (!Value.Check(DependencySchema, item)) return null;
  const { id, name = null, version = null } = item;
  return { id: id.toLowerCase(), name, version };
}
