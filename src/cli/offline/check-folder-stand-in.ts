import { confine } from '../../scripts/confine.ts';
import { loadFolder } from '../../scripts/load-folder.ts';
import type { Problem, Script } from '../../scripts/script.ts';

/** What a folder of a script turned out to be. */
export interface FolderCheck {
  readonly script: Script | null;
  readonly problems: readonly Problem[];
}

/** What the manifest says, and whether the entry is there. */
export async function checkFolder(folder: string): Promise<FolderCheck> {
  const loaded = await loadFolder(folder);
  if (loaded === null) return { script: null, problems: [noManifest(folder)] };
  if (loaded.kind === 'broken') return { script: null, problems: loaded.problems };
  const { script, notes } = loaded;
  const { entry } = script.runtime;
  if ((await confine(folder, entry)) === 'ok') return { script, problems: notes };
  const missing: Problem = {
    severity: 'error',
    file: script.manifestPath,
    line: null,
    message: { en: `The entry ${entry} is not in the folder`, zh: `文件夹中没有入口文件 ${entry}` },
    advice: {
      en: 'Create the file, or correct the name in the manifest.',
      zh: '请创建该文件，或修正清单中的文件名。',
    },
  };
  return { script, problems: [missing, ...notes] };
}

function noManifest(folder: string): Problem {
  return {
    severity: 'error',
    file: folder,
    line: null,
    message: { en: 'There is no manifest in this folder', zh: '文件夹中没有清单文件' },
    advice: {
      en: 'docs/manifest.md shows a complete one.',
      zh: '完整示例见 docs/manifest.md。',
    },
  };
}
