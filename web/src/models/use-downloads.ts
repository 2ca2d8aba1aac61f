import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { useLive } from '../api/live-events.tsx';
import { downloadsQuery, modelsQuery } from '../api/queries.ts';
import type { Download } from '../api/wire.ts';

/**
 * All downloads with live progress. Progress events arrive up to four times a second and are merged into the cached list. The list is
 * refetched only for new downloads and for ends, because the service describes an error in the language of the request.
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
        // The start and the end of a download change the models on disk.
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
  // A late event must not reopen a download that has ended.
  if (download.download_id !== told.download_id || download.state !== 'running') return download;
  const { at: _at, error: _error, ...fields } = told;
  return { ...download, ...fields };
}
