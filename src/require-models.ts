import type { ModelLibrary } from './models/model-library.ts';
import { parseRepoId } from './models/repo-id.ts';
import { type Unavailable, unavailable } from './scripts/runtimes/command.ts';
import type { Script } from './scripts/script.ts';
import { brief } from './shared/brief.ts';
import type { Text } from './shared/text.ts';

/** Returns the reason why a script that requires its models cannot start; null if all are present or none is required. */
export async function findMissingModels(
  { runtime, models }: Script,
  library: Pick<ModelLibrary, 'stateOf'>,
): Promise<Unavailable | null> {
  if (!runtime.requireModels) return null;
  const lacking: Text[] = [];
  for (const { repoId, source } of models) {
    const repo = parseRepoId(repoId);
    if (repo === null) {
      lacking.push(noModel(repoId));
      continue;
    }
    const state = await library.stateOf(repo);
    if (state === 'complete') continue;
    const command = `hob model pull ${repoId} --source ${source}`;
    const isPart = state === 'partial';
    const what = isPart ? 'which is only partly downloaded' : 'which is not downloaded';
    lacking.push({
      en: `The script needs the model ${repoId}, ${what}. Get it with: ${command}`,
      zh: `脚本需要模型 ${repoId}，但${isPart ? '只下载了一部分' : '尚未下载'}。请运行：${command}`,
    });
  }
  if (lacking.length === 0) return null;
  return unavailable(lacking.map(({ en }) => en).join('\n'), lacking.map(({ zh }) => zh).join('\n'));
}

/** Suggests no command: a user might copy it, and it would contain unchecked text of a manifest. */
function noModel(repoId: string): Text {
  return {
    en: `The script declares the model ${brief(repoId)}, which is not a valid name. Write it as owner/name in the manifest.`,
    zh: `脚本声明的模型 ${brief(repoId)} 不是有效的名称，清单中应为 owner/name。`,
  };
}
