import { queryOptions } from '@tanstack/react-query';

import { callService, RefusedError } from '../api/call-service.ts';
import type { FolderListing } from '../api/wire.ts';
import { folderOf } from './pick.ts';

interface NearestFolder {
  readonly listing: FolderListing;
  /** What was asked for, where there is nothing of that name. */
  readonly missing: string | null;
}

/**
 * A folder of the machine that Hob runs on; null: the home of its user. Where it is not there, the nearest one around
 * it that is. Others change it: it is never kept.
 */
export const nearestFolderQuery = (asked: string | null) =>
  queryOptions({
    queryKey: ['files', asked],
    queryFn: ({ signal }) => nearestFolder(asked, signal),
    staleTime: 0,
    gcTime: 0,
  });

async function nearestFolder(asked: string | null, signal: AbortSignal): Promise<NearestFolder> {
  let path = asked;
  let missing: string | null = null;
  for (;;) {
    try {
      const search = path === null ? '' : `?path=${encodeURIComponent(path)}`;
      return { listing: await callService<FolderListing>(`/api/files${search}`, { signal }), missing };
    } catch (error) {
      const around = path === null ? null : folderOf(path);
      if (!(error instanceof RefusedError) || around === null || around === path) throw error;
      if (error.code === 'folder-unknown') missing = asked;
      // Of a file, the folder around it is just what is wanted.
      else if (error.code !== 'folder-invalid') throw error;
      path = around;
    }
  }
}
