import type { Download, Model } from '../api/wire.ts';

/** All there is to say of one repo: where it lies, who needs it, and what its last download does. */
export interface GatheredModel {
  readonly repoId: string;
  readonly source: Model['source'];
  readonly state: Model['state'];
  readonly neededBy: Model['needed_by'];
  /** Each place that has something of it. */
  readonly copies: readonly Model[];
  /** The newest one, if the service has had any since its start. */
  readonly download: Download | null;
}

/** One entry for each repo; what is not whole comes first, as there is something to do about it. */
export function gatherModels(models: readonly Model[], downloads: readonly Download[]): GatheredModel[] {
  const items = new Map<string, Model[]>();
  for (const model of models) items.set(model.repo_id, [...(items.get(model.repo_id) ?? []), model]);
  const newest = new Map<string, Download>();
  for (const download of downloads) {
    if (newest.has(download.repo_id)) continue;
    newest.set(download.repo_id, download);
    // A model that nobody asks for is not listed before its first byte is here; one that was deleted is of no interest any more.
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

/** Whether both say the same. Of many models, few change with what is told of a download. */
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

/** Those whose name, place or scripts have every word of the query in them. */
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
