import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';

import { getJson, isRefused } from '../api/hob.ts';
import type { FolderEntry, FolderListing } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { FirstField, inputClasses } from '../parts/field.tsx';
import { LabelledSwitch } from '../parts/labelled-switch.tsx';
import { Loading } from '../parts/loading.tsx';
import { EntryList, PathBar } from './folder-view.tsx';
import {
  canPick,
  countNotShown,
  folderOf,
  type NotShownCounts,
  pathIn,
  visibleEntries,
  type Wanted,
} from './pick.ts';

interface NothingShownProps {
  /** How many entries the folder has. */
  readonly count: number;
  readonly notShown: NotShownCounts;
  readonly kinds: Wanted['kinds'];
  readonly onShow: () => void;
}

interface FileBrowserProps {
  readonly isOpen: boolean;
  readonly wanted: Wanted;
  /** The folder to open, or else its nearest existing parent; null for the user's home folder. */
  readonly start: string | null;
  readonly onClose: () => void;
  readonly onPick: (paths: readonly string[]) => void;
}

/** Chooses files and folders on the machine that runs Hob. The browser's own file dialog does not reveal paths. */
export function FileBrowser({ isOpen, onClose, ...rest }: FileBrowserProps) {
  const say = useSay();
  const { kinds, isOne } = rest.wanted;
  const title = {
    files: isOne ? say('Choose a file', '选择文件') : say('Choose files', '选择文件'),
    folders: isOne ? say('Choose a folder', '选择文件夹') : say('Choose folders', '选择文件夹'),
    both: isOne
      ? say('Choose a file or folder', '选择文件或文件夹')
      : say('Choose files or folders', '选择文件或文件夹'),
  }[kinds];
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} isWide>
      {isOpen && <Content {...rest} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ wanted, start, onClose, onPick }: Omit<FileBrowserProps, 'isOpen'>) {
  const say = useSay();
  const listId = useId();
  const onDone = (paths: readonly string[]) => {
    onPick(paths);
    onClose();
  };
  const browsing = useBrowsing({ wanted, start, onDone });
  const { query, listing, missing, entries, active, picked, chosen } = browsing;
  return (
    <div className="flex flex-col gap-3">
      <PathBar
        asked={browsing.asked}
        listing={listing}
        isComing={query.isPlaceholderData}
        onGo={browsing.go}
      />
      {missing !== null && (
        <p role="status" className="rounded-lg bg-warn-ground px-3 py-2 text-[13px] break-words text-warn">
          {say(
            `${missing} does not exist. This is the nearest existing folder.`,
            `${missing} 不存在，已打开离它最近的文件夹。`,
          )}
        </p>
      )}
      <FirstField
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? `${listId}-${active}` : undefined}
        aria-label={say('Filter', '筛选')}
        placeholder={say('Type to filter', '输入以筛选')}
        value={browsing.filter}
        onChange={({ target }) => browsing.setFilter(target.value)}
        onKeyDown={browsing.onKeyDown}
        className={inputClasses}
      />
      {query.error !== null ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : listing === null ? (
        <Loading />
      ) : (
        <EntryList
          id={listId}
          label={say('Folder contents', '文件夹内容')}
          entries={entries}
          nothing={() => (
            <NothingShown
              count={listing.entries.length}
              notShown={browsing.notShown()}
              kinds={wanted.kinds}
              onShow={browsing.showAll}
            />
          )}
          active={active}
          isMany={!wanted.isOne}
          canPick={(entry) => canPick(entry, wanted)}
          isPicked={(entry) => picked.has(browsing.pathOf(entry))}
          onClick={(index, isMark) => {
            browsing.setActive(index);
            if (entries[index]?.kind === 'folder' && !isMark) browsing.open(index);
            else browsing.toggle(index);
          }}
          onDoubleClick={(index) => entries[index]?.kind === 'file' && browsing.open(index)}
          onKeyDown={browsing.onKeyDown}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2 text-[13px] text-muted">
        <LabelledSwitch
          label={say('Hidden items', '隐藏项')}
          isOn={browsing.showHidden}
          onChange={browsing.setShowHidden}
        />
        {wanted.kinds !== 'folders' && (
          <LabelledSwitch
            label={say('Other file types', '其他文件')}
            isOn={browsing.showOthers}
            onChange={browsing.setShowOthers}
          />
        )}
        {listing !== null && (
          <span role="status" className="sm:ml-auto">
            {listing.complete
              ? say(entries.length === 1 ? '1 item' : `${entries.length} items`, `显示 ${entries.length} 项`)
              : say(
                  'Showing only 10,000 items. To open another one, type its path.',
                  '仅列出 10,000 项，其余请输入路径',
                )}
          </span>
        )}
      </div>
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto hidden text-xs text-muted md:block">
          {say(
            'Enter to open · Space to select · Backspace to go up',
            'Enter 打开 · 空格选中 · Backspace 返回上级',
          )}
        </p>
        <Button onClick={onClose}>{say('Cancel', '取消')}</Button>
        <Button look="primary" disabled={chosen.length === 0} onClick={browsing.finish}>
          {browsing.choosesCurrentFolder
            ? say('Choose this folder', '选择当前文件夹')
            : picked.size > 1
              ? say(`Choose ${picked.size} items`, `选择 ${picked.size} 项`)
              : say('Choose', '选择')}
        </Button>
      </div>
    </div>
  );
}

/** Explains why a folder shows no entries, and offers to show the hidden ones. */
function NothingShown({ count, notShown, kinds, onShow }: NothingShownProps) {
  const say = useSay();
  if (count === 0) return say('This folder is empty', '此文件夹为空');
  if (notShown.hidden + notShown.others === 0) return say('No matching items', '没有名称匹配的项');
  const canShow = kinds !== 'folders' || notShown.hidden > 0;
  return (
    <>
      <span>
        {say('Not shown: ', '未显示：')}
        {partsOf(notShown, kinds, say).join(say(', ', '、'))}
      </span>
      {canShow && (
        <Button
          size="small"
          // Keep the focus in the filter field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={onShow}
          className="pointer-events-auto"
        >
          {say('Show items', '显示')}
        </Button>
      )}
    </>
  );
}

function partsOf({ hidden, others }: NotShownCounts, kinds: Wanted['kinds'], say: Say): string[] {
  const parts: string[] = [];
  if (hidden > 0)
    parts.push(say(hidden === 1 ? '1 hidden item' : `${hidden} hidden items`, `${hidden} 个隐藏项`));
  if (others > 0 && kinds === 'folders')
    parts.push(say(others === 1 ? '1 file' : `${others} files`, `${others} 个文件`));
  else if (others > 0)
    parts.push(say(others === 1 ? '1 of another type' : `${others} of other types`, `${others} 个其他类型`));
  return parts;
}

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
function useBrowsing({ wanted, start, onDone }: BrowsingOptions) {
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
      return { listing: await getJson<FolderListing>(`/api/files${search}`, { signal }), missing };
    } catch (error) {
      const around = path === null ? null : folderOf(path);
      if (!isRefused(error) || around === null || around === path) throw error;
      if (error.code === 'folder-unknown') missing = asked;
      // The path of a file opens its folder, without a warning.
      else if (error.code !== 'folder-invalid') throw error;
      path = around;
    }
  }
}
