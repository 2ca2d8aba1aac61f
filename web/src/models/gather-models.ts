import type { Download, Model } from '../api/wire.ts';

/** All information about one repo: its copies, the scripts that require it, and its last download. */
export interface GatheredModel {
  readonly repoId: string;
  readonly source: Model['source'];
  readonly state: Model['state'];
  readonly neededBy: Model['needed_by'];
  /** One entry for each place that has files of it. */
  readonly copies: readonly Model[];
  /** The newest download since the service started; null if there was none. */
  readonly download: Download | null;
}

/** One entry for each repo. Incomplete and missing models come first, because they need attention. */
export function gatherModels(models: readonly Model[], downloads: readonly Download[]): GatheredModel[] {
  const items = new Map<string, Model[]>();
  for (const model of models) items.set(model.repo_id, [...(items.get(model.repo_id) ?? []), model]);
  const newest = new Map<string, Download>();
  for (const download of downloads) {
    if (newest.has(download.repo_id)) continue;
    newest.set(download.repo_id, download);
    // The service does not list a model that no script requires before its first byte is stored. A finished download without files was deleted.
    if (!items.has(download.repo_id) && download.state !== 'done') items.set(download.repo_id, []);
  }
  return [...items]
    .map(([repoId, own]) => gather(repoId, own, newest.get(repoId) ?? null))
    .sort(
      (a, b) =>
        Number(a.state === 'complete') - Number(b.state === 'complete') ||
        a.repoId.localeCompare(b.repoId, 'en'),
    );
}

const nobody: Model['needed_by'] = [];

function gather(repoId: string, items: readonly Model[], download: Download | null): GatheredModel {
  const states = items.map(({ state }) => state);
  return {
    repoId,
    source: items.find(({ source }) => source !== null)?.source ?? download?.source ?? null,
    state: states.includes('complete') ? 'complete' : states.includes('partial') ? 'partial' : 'missing',
    neededBy: items[0]?.needed_by ?? nobody,
    copies: items.filter(({ folder }) => folder !== null),
    download,
  };
}

/** Compares by identity of the parts, so that progress of one download does not render all models again. */
export function isSameModel(a: GatheredModel, b: GatheredModel): boolean {
  return (
    a.repoId === b.repoId &&
    a.source === b.source &&
    a.state === b.state &&
    a.download === b.download &&
    a.neededBy === b.neededBy &&
    a.copies.length === b.copies.length &&
    a.copies.every((copy, index) => copy === b.copies[index])
  );
}

/** Finds models in whose name, source, folders or scripts every word of the query occurs. */
export function findModels(models: readonly GatheredModel[], query: string): GatheredModel[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ repoId, source, neededBy, copies }) => {
    const text = [
      repoId,
      source ?? '',
      ...neededBy.map(({ script_name }) => script_name),
      ...copies.map(({ folder }) => folder ?? ''),
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
