import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { callService, RefusedError } from '../api/call-service.ts';
import type { FolderEntry, FolderListing } from '../api/wire.ts';
import { canPick, countNotShown, folderOf, pathIn, visibleEntries, type Wanted } from './pick.ts';

interface NearestFolder {
  readonly listing: FolderListing;
  /** The requested path if it does not exist, or else null. */
  readonly missing: string | null;
}

/**
 * The listing of a folder on the machine that runs Hob, or of its nearest existing parent; null for the user's home folder. Never cached,
 * because other programs change folders.
 */
const nearestFolderQuery = (asked: string | null) =>
  queryOptions({
    queryKey: ['files', asked],
    queryFn: ({ signal }) => nearestFolder(asked, signal),
    staleTime: 0,
    gcTime: 0,
  });

interface BrowsingOptions {
  readonly wanted: Wanted;
  readonly start: string | null;
  /** Called with the chosen paths, at least one. */
  readonly onDone: (paths: readonly string[]) => void;
}

/** Rows to move by Page Up and Page Down. */
const pageRows = 10;

/** The state of the file browser: the current folder, the shown entries, and the selection across folders. */
export function useBrowsing({ wanted, start, onDone }: BrowsingOptions) {
  const [asked, setAsked] = useState(start);
  const query = useQuery({ ...nearestFolderQuery(asked), placeholderData: keepPreviousData });
  const [filter, setFilter] = useState('');
  const [active, setActive] = useState(0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [showHidden, setShowHidden] = useState(false);
  const [showOthers, setShowOthers] = useState(false);

  const listing = query.error === null ? (query.data?.listing ?? null) : null;
  const entries = useMemo(
    () => visibleEntries(listing?.entries ?? [], wanted, { filter, showHidden, showOthers }),
    [listing, wanted, filter, showHidden, showOthers],
  );
  const notShown = () => countNotShown(listing?.entries ?? [], wanted, { filter, showHidden, showOthers });
  // Without a selection, the current folder itself is chosen if folders are allowed.
  const choosesCurrentFolder = picked.size === 0 && wanted.kinds !== 'files' && listing !== null;
  const chosen = choosesCurrentFolder ? [listing.path] : [...picked];

  const pathOf = ({ name }: FolderEntry) =>
    listing === null ? name : pathIn(listing.path, name, listing.separator);
  const go = (path: string | null) => {
    setAsked(path);
    setFilter('');
    setActive(0);
  };
  const toggle = (index: number) => {
    const entry = entries[index];
    if (entry === undefined || !canPick(entry, wanted)) return;
    const path = pathOf(entry);
    const others = wanted.isOne ? [] : [...picked].filter((each) => each !== path);
    setPicked(new Set(picked.has(path) ? others : [...others, path]));
  };
  const finish = () => {
    if (chosen.length > 0) onDone(chosen);
  };
  const open = (index: number) => {
    const entry = entries[index];
    if (entry === undefined) return;
    if (entry.kind === 'folder') go(pathOf(entry));
    else if (canPick(entry, wanted)) onDone([...new Set([...(wanted.isOne ? [] : picked), pathOf(entry)])]);
  };
  const move = (rows: number) => setActive(Math.max(0, Math.min(active + rows, entries.length - 1)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      PageDown: () => move(pageRows),
      PageUp: () => move(-pageRows),
      Enter: () => (event.ctrlKey || event.metaKey ? finish() : open(active)),
      ...(filter === '' && {
        Backspace: () => listing !== null && listing.parent !== null && go(listing.parent),
        ' ': () => toggle(active),
      }),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return {
    asked,
    query,
    listing,
    /** The requested path if the listing is that of a parent folder instead. */
    missing: query.isPlaceholderData ? null : (query.data?.missing ?? null),
    entries,
    notShown,
    filter,
    active,
    picked,
    chosen,
    choosesCurrentFolder,
    showHidden,
    showOthers,
    setFilter(text: string) {
      setFilter(text);
      setActive(0);
    },
    setActive,
    setShowHidden,
    setShowOthers,
    showAll() {
      setShowHidden(true);
      setShowOthers(wanted.kinds !== 'folders');
    },
    pathOf,
    go,
    toggle,
    open,
    finish,
    onKeyDown,
  };
}

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
