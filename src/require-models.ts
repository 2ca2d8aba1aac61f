import type { ModelLibrary } from './models/model-library.ts';
import { parseRepoId } from './models/repo-id.ts';
import { type Unavailable, unavailable } from './scripts/runtimes/command.ts';
import type { Script } from './scripts/script.ts';

/** Why a script that cannot do without its models is not started; null when they are there, or when it does not insist. */
export async function findMissingModels(
  { runtime, models }: Script,
  library: Pick<ModelLibrary, 'stateOf'>,
): Promise<Unavailable | null> {
  if (!runtime.requireModels) return null;
  const lacking: { repoId: string; command: string; isPart: boolean }[] = [];
  for (const { repoId, source } of models) {
    const repo = parseRepoId(repoId);
    const state = repo === null ? 'missing' : await library.stateOf(repo);
    if (state === 'complete') continue;
    lacking.push({
      repoId,
      command: `hob model pull ${repoId} --source ${source}`,
      isPart: state === 'partial',
    });
  }
  if (lacking.length === 0) return null;
  const en = lacking.map(({ repoId, command, isPart }) => {
    const what = isPart ? 'of which only a part is downloaded' : 'which is not downloaded';
    return `The script needs the model ${repoId}, ${what}. Get it with: ${command}`;
  });
  const zh = lacking.map(({ repoId, command, isPart }) => {
    return `脚本需要模型 ${repoId}，但${isPart ? '只下载了一部分' : '尚未下载'}。请运行：${command}`;
  });
  return unavailable(en.join('\n'), zh.join('\n'));
}
