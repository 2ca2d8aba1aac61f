import { basename } from 'node:path';
import { confine } from '../shared/private-files.ts';
import type { Text } from '../shared/text.ts';
import type { LoadedFolder } from './load-folder.ts';
import { describePath } from './read-manifest.ts';
import { parseVersionRange, satisfies } from './runtimes/version-range.ts';
import { fileError, type Problem, type Script } from './script.ts';

/** Problems of scripts beyond their manifests: as texts for callers, and as entries of the problem list. */
export function prefixed(name: string, text: Text): Text {
  return { en: `The script "${name}" cannot run: ${text.en}`, zh: `脚本 "${name}" 无法运行：${text.zh}` };
}

export function brokenText(loaded: LoadedFolder & { kind: 'broken' }, problem: Problem | undefined): Text {
  const name = loaded.name ?? basename(loaded.folder);
  if (problem === undefined) return prefixed(name, { en: 'its manifest is invalid', zh: '清单文件损坏' });
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`;
  const { message, advice } = problem;
  return prefixed(name, {
    en: `${message.en} (${place}). ${advice.en}`,
    zh: `${message.zh}（${place}）。${advice.zh}`,
  });
}

export function duplicateText(id: string, entries: readonly LoadedFolder[]): Text {
  const folders = entries.map(({ folder }) => folder).join(', ');
  return {
    en: `Several scripts have the id ${id}, so none of them can run: ${folders}`,
    zh: `多个脚本使用了相同的 ID ${id}，均无法运行：${folders}`,
  };
}

export function duplicateProblem(id: string, entry: LoadedFolder, all: readonly LoadedFolder[]): Problem {
  return fileError(fileOf(entry), {
    ...duplicateText(id, all),
    advice: {
      en: 'Give one of them a new UUID (uuidgen generates one), or remove it.',
      zh: '请为其中一个更换 UUID（可用 uuidgen 生成），或将其删除。',
    },
  });
}

export function fileOf(entry: LoadedFolder): string {
  return entry.kind === 'script' ? entry.script.manifestPath : entry.folder;
}

export async function missingEntry(script: Script): Promise<Problem | null> {
  const { entry } = script.runtime;
  const confined = confine(script.folder, entry);
  if (confined === 'ok') return null;
  return fileError(script.manifestPath, {
    ...describePath('entry', entry, confined),
    advice: {
      en: 'Create the file, or correct its name in the manifest.',
      zh: '请创建该文件，或修正清单中的文件名。',
    },
  });
}

/** Notes about called scripts that are missing or have a wrong version. Notes only, because the script may work without them. */
export function missingDependencies(
  { dependencies, manifestPath }: Pick<Script, 'dependencies' | 'manifestPath'>,
  find: (id: string) => Pick<Script, 'name' | 'version'> | null,
): Problem[] {
  return dependencies.flatMap(({ id, name, version }) => {
    const found = find(id);
    const range = version === null ? null : parseVersionRange(version);
    const fits = range === null || (found?.version != null && satisfies(found.version, range));
    if (found !== null && fits) return [];
    const called = name === null ? id : `"${name}" (${id})`;
    const message: Text =
      found === null
        ? { en: `The required script ${called} is not installed`, zh: `所依赖的脚本 ${called} 不存在` }
        : {
            en: `The required script ${called} must have version ${version}, but the installed one has ${found.version ?? 'no version'}`,
            zh: `所依赖的脚本 ${called} 需要版本 ${version}，当前为 ${found.version ?? '无版本号'}`,
          };
    const advice: Text = {
      en: found === null ? 'Install it with hob install.' : 'Update it with hob update.',
      zh: found === null ? '请用 hob install 安装。' : '请用 hob update 更新。',
    };
    return [{ severity: 'note' as const, file: manifestPath, line: null, message, advice }];
  });
}

export function missingRoot(root: string): Problem {
  return fileError(root, {
    en: 'This script folder does not exist or cannot be read',
    zh: '脚本文件夹不存在或无法读取',
    advice: { en: 'Create it. Hob then finds it without a restart.', zh: '创建后 Hob 会自动发现。' },
  });
}
