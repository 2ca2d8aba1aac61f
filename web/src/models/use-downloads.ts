import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { useLive } from '../api/live-events.tsx';
import { downloadsQuery, modelsQuery } from '../api/queries.ts';
import type { Download } from '../api/wire.ts';

/**
 * The downloads, as far as each of them is. Events tell of it up to four times a second: they are put into what is known, and the
 * service is asked only for what an event does not say: a new one, and the end, whose reason it tells in the language of the person.
 */
export function useDownloads(): readonly Download[] {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const { data } = useQuery(downloadsQuery);
  useEffect(
    () =>
      subscribe(({ type, data: told }) => {
        if (type !== 'model.progress') return;
        const known = client.getQueryData(downloadsQuery.queryKey);
        const isNew = known?.items.some(({ download_id }) => download_id === told.download_id) !== true;
        if (isNew || told.state !== 'running') void client.invalidateQueries(downloadsQuery);
        // The first byte of a model, and its last, change what is on the disk.
        if (isNew || told.state !== 'running') void client.invalidateQueries(modelsQuery);
        client.setQueryData(downloadsQuery.queryKey, (list) =>
          list === undefined ? list : { ...list, items: list.items.map((each) => advance(each, told)) },
        );
      }),
    [client, subscribe],
  );
  return data?.items ?? [];
}

function advance(download: Download, told: Readonly<Record<string, unknown>>): Download {
  // What an event tells late must not open again what has ended.
  if (download.download_id !== told.download_id || download.state !== 'running') return download;
  const { at: _at, error: _error, ...fields } = told;
  return { ...download, ...fields };
}
