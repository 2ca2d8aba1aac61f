import { useMutation, useQueryClient } from '@tanstack/react-query';

import { hob } from '../api/hob.ts';
import { downloadsQuery, modelsQuery } from '../api/queries.ts';
import type { Download, DownloadRequest, Model, ModelRemoved } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { messageOf } from '../parts/failure.tsx';
import { bytesText } from '../parts/format.ts';
import { useToast } from '../parts/toasts.tsx';
import type { GatheredModel } from './gather-models.ts';

/** Starts, cancels and removes models. Errors are shown as toasts, except those of `start`, which its caller handles. */
export function useModelActions() {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const onError = (error: unknown) => toast({ kind: 'error', title: messageOf(error, say) });
  const refresh = () =>
    Promise.all([client.invalidateQueries(downloadsQuery), client.invalidateQueries(modelsQuery)]);
  const start = useMutation({
    mutationFn: (request: DownloadRequest) => hob.request('POST', '/api/models/download', { body: request }),
    onSuccess: refresh,
  });
  const cancel = useMutation({
    mutationFn: ({ download_id: id }: Download) =>
      hob.request('POST', `/api/models/downloads/${encodeURIComponent(id)}/cancel`, { body: {} }),
    onSuccess: refresh,
    onError,
  });
  const remove = useMutation({
    mutationFn: ({ repo_id: repoId, place }: Model) =>
      hob.request<ModelRemoved>('DELETE', `/api/models/${repoId}?place=${place}`),
    onSuccess: ({ freed_bytes: freed, message }) => {
      const size = bytesText(freed);
      toast({ kind: 'success', title: message, message: say(`${size} freed`, `已释放 ${size}`) });
    },
    onError,
    onSettled: refresh,
  });
  return { start, cancel, remove, onError };
}

/** The request that resumes an unfinished download, or else downloads the files that scripts declare. */
export function requestFor({ repoId, source, download }: GatheredModel): DownloadRequest {
  if (download === null || download.state === 'done') return { repo_id: repoId, source };
  const { source: asked, files, revision } = download;
  return { repo_id: repoId, source: asked, files, revision };
}
