import { queryOptions } from '@tanstack/react-query';

import { callService, RefusedError } from '../api/call-service.ts';
import type { FolderListing } from '../api/wire.ts';
import { folderOf } from './pick.ts';

interface NearestFolder {
  readonly listing: FolderListing;
  /** The requested path if it does not exist, or else null. */
  readonly missing: string | null;
}

/**
 * The listing of a folder on the machine that runs Hob, or of its nearest existing parent; null for the user's home folder. Never cached,
 * because other programs change folders.
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
      // The path of a file opens its folder, without a warning.
      else if (error.code !== 'folder-invalid') throw error;
      path = around;
    }
  }
}
