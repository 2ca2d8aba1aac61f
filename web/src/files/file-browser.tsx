import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';

import { folderQuery } from '../api/queries.ts';
import type { FolderEntry } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { FirstField } from '../parts/first-field.tsx';
import { inputClasses } from '../parts/input.ts';
import { LabelledSwitch } from '../parts/labelled-switch.tsx';
import { Loading } from '../parts/loading.tsx';
import { EntryList } from './entry-list.tsx';
import { PathBar } from './path-bar.tsx';
import { canPick, entriesInSight, pathIn, type Wanted } from './pick.ts';

interface FileBrowserProps {
  readonly isOpen: boolean;
  readonly wanted: Wanted;
  /** Where to begin; null: in the home of the user. */
  readonly start: string | null;
  readonly onClose: () => void;
  readonly onPick: (paths: readonly string[]) => void;
}

/** Files and folders of the machine that Hob runs on, to choose from: a browser does not tell where its own files lie. */
export function FileBrowser({ isOpen, onClose, ...rest }: FileBrowserProps) {
  const say = useSay();
  const { kinds, isOne } = rest.wanted;
  const title = {
    files: isOne ? say('Choose a file', '选择文件') : say('Choose files', '选择文件'),
    folders: isOne ? say('Choose a folder', '选择文件夹') : say('Choose folders', '选择文件夹'),
    both: say('Choose files or folders', '选择文件或文件夹'),
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
  const [asked, setAsked] = useState(start);
  const { data, error, refetch } = useQuery({ ...folderQuery(asked), placeholderData: keepPreviousData });
  const [filter, setFilter] = useState('');
  const [active, setActive] = useState(0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [showHidden, setShowHidden] = useState(false);
  const [showOthers, setShowOthers] = useState(false);

  const listing = error === null ? (data ?? null) : null;
  const entries = useMemo(
    () => entriesInSight(listing?.entries ?? [], wanted, { filter, showHidden, showOthers }),
    [listing, wanted, filter, showHidden, showOthers],
  );
  const pathOf = ({ name }: FolderEntry) =>
    listing === null ? name : pathIn(listing.path, name, listing.separator);
  const go = (path: string | null) => {
    setAsked(path);
    setFilter('');
    setActive(0);
  };
  const toggle = (entry: FolderEntry) => {
    if (!canPick(entry, wanted)) return;
    const path = pathOf(entry);
    const others = wanted.isOne ? [] : [...picked].filter((each) => each !== path);
    setPicked(new Set(picked.has(path) ? others : [...others, path]));
  };
  const finish = (paths: readonly string[]) => {
    if (paths.length === 0) return;
    onPick(paths);
    onClose();
  };
  /** With nothing marked, the folder that one is in, where it is a folder that is wanted. */
  const chosen =
    picked.size > 0 || wanted.kinds === 'files' || listing === null ? [...picked] : [listing.path];
  const open = (index: number) => {
    const entry = entries[index];
    if (entry === undefined) return;
    if (entry.kind === 'folder') go(pathOf(entry));
    else if (canPick(entry, wanted))
      finish(wanted.isOne ? [pathOf(entry)] : [...new Set([...picked, pathOf(entry)])]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setActive(Math.min(active + 1, entries.length - 1)),
      ArrowUp: () => setActive(Math.max(active - 1, 0)),
      PageDown: () => setActive(Math.min(active + 10, entries.length - 1)),
      PageUp: () => setActive(Math.max(active - 10, 0)),
      Enter: () => (event.ctrlKey || event.metaKey ? finish(chosen) : open(active)),
      ...(filter === '' && {
        Backspace: () => listing !== null && listing.parent !== null && go(listing.parent),
        ' ': () => entries[active] !== undefined && toggle(entries[active]),
      }),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    // What runs the script outside must not hear of it.
    event.stopPropagation();
    act();
  };
  return (
    <div className="flex flex-col gap-3">
      <PathBar asked={asked} listing={listing} onGo={go} />
      <FirstField
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? `${listId}-${active}` : undefined}
        aria-label={say('Filter', '筛选')}
        placeholder={say('Filter as you type', '输入以筛选')}
        value={filter}
        onChange={({ target }) => {
          setFilter(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        className={inputClasses}
      />
      {error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : listing === null ? (
        <Loading />
      ) : (
        <EntryList
          id={listId}
          label={say('Content of the folder', '文件夹内容')}
          entries={entries}
          nothing={
            listing.entries.length === 0
              ? say('This folder is empty', '此文件夹为空')
              : say(
                  `None of its ${listing.entries.length} entries is shown`,
                  `共 ${listing.entries.length} 项，均未显示`,
                )
          }
          active={active}
          isMany={!wanted.isOne}
          canPick={(entry) => canPick(entry, wanted)}
          isPicked={(entry) => picked.has(pathOf(entry))}
          onClick={(index, isMark) => {
            setActive(index);
            const entry = entries[index];
            if (entry === undefined) return;
            if (entry.kind === 'folder' && !isMark) go(pathOf(entry));
            else toggle(entry);
          }}
          onKeyDown={onKeyDown}
          onDoubleClick={(index) => entries[index]?.kind !== 'folder' && open(index)}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2 text-[13px] text-muted">
        <LabelledSwitch label={say('Hidden', '隐藏项')} isOn={showHidden} onChange={setShowHidden} />
        <LabelledSwitch label={say('Other files', '其他文件')} isOn={showOthers} onChange={setShowOthers} />
        {listing !== null && (
          <span role="status" className="sm:ml-auto">
            {listing.complete
              ? say(`${entries.length} shown`, `显示 ${entries.length} 项`)
              : say(
                  'Only 10,000 of its entries; type the path of others',
                  '仅列出 10,000 项，其余请输入路径',
                )}
          </span>
        )}
      </div>
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto hidden text-xs text-muted md:block">
          {say('Enter opens · Space marks · Backspace goes up', 'Enter 打开 · 空格选中 · Backspace 返回上级')}
        </p>
        <Button onClick={onClose}>{say('Cancel', '取消')}</Button>
        <Button look="primary" disabled={chosen.length === 0} onClick={() => finish(chosen)}>
          {picked.size > 1
            ? say(`Choose ${picked.size}`, `选择 ${picked.size} 项`)
            : picked.size === 0 && chosen.length > 0
              ? say('Choose this folder', '选择当前文件夹')
              : say('Choose', '选择')}
        </Button>
      </div>
    </div>
  );
}
