import { ArrowUp, House } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { FolderListing } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { FirstField, inputClasses } from '../parts/field.tsx';

import { LabelledSwitch } from '../parts/labelled-switch.tsx';
import { Loading } from '../parts/loading.tsx';
import { EntryList } from './entry-list.tsx';
import { canPick, crumbsOf, folderOf, type NotShownCounts, type Wanted } from './pick.ts';
import { useBrowsing } from './use-browsing.ts';

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

interface PathBarProps {
  /** The requested path; null for the user's home folder. */
  readonly asked: string | null;
  /** Null until it is loaded. */
  readonly listing: FolderListing | null;
  /** Whether the listing is still that of the previous folder. */
  readonly isComing: boolean;
  readonly onGo: (path: string | null) => void;
}

/** Shows the current path. Navigates up, home, to another drive, to a parent folder, or to a typed path. */
function PathBar({ asked, listing, isComing, onGo }: PathBarProps) {
  const say = useSay();
  /** The typed text, tied to the folder in which it was typed. A listing that arrives later does not overwrite it. */
  const [typed, setTyped] = useState<{ readonly asked: string | null; readonly text: string } | null>(null);
  const here = listing?.path ?? asked ?? '';
  const text = typed?.asked === asked ? typed.text : isComing && asked !== null ? asked : here;
  const crumbs = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll whenever the path changes
  useEffect(() => {
    // Show the end of a long path.
    if (crumbs.current !== null) crumbs.current.scrollLeft = crumbs.current.scrollWidth;
  }, [here]);
  const others = listing?.roots.filter((root) => !here.startsWith(root)) ?? [];
  // The parent is also known for a folder that cannot be read.
  const parent = listing === null ? folderOf(asked ?? '') : listing.parent;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex gap-1">
        <IconButton
          label={say('Parent folder', '上级文件夹')}
          look="plain"
          disabled={parent === null}
          onClick={() => parent !== null && onGo(parent)}
        >
          <ArrowUp size={16} aria-hidden />
        </IconButton>
        <IconButton label={say('Home folder', '主文件夹')} look="plain" onClick={() => onGo(null)}>
          <House size={16} aria-hidden />
        </IconButton>
        <input
          value={text}
          aria-label={say('Folder path', '文件夹路径')}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setTyped({ asked, text: target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onGo(text.trim() === '' ? null : text.trim());
          }}
          className={classes(inputClasses, 'font-mono text-[13px]')}
        />
      </div>
      {listing !== null && (
        <ol
          ref={crumbs}
          aria-label={say('Breadcrumbs', '路径')}
          className="flex items-center overflow-x-auto text-[13px] whitespace-nowrap text-muted"
        >
          {others.map((root) => (
            <Crumb key={root} name={root} onGo={() => onGo(root)} />
          ))}
          {crumbsOf(listing.path, listing.roots, listing.separator).map(({ name, path }, index) => (
            <Crumb
              key={path}
              name={name}
              isHere={path === listing.path}
              hasMark={index > 1}
              onGo={() => onGo(path)}
            />
          ))}
        </ol>
      )}
    </div>
  );
}

interface CrumbProps {
  readonly name: string;
  readonly isHere?: boolean;
  readonly hasMark?: boolean;
  readonly onGo: () => void;
}

function Crumb({ name, isHere = false, hasMark = false, onGo }: CrumbProps) {
  return (
    <li className="flex items-center">
      {hasMark && <span aria-hidden>›</span>}
      <button
        type="button"
        aria-current={isHere ? 'location' : undefined}
        onClick={onGo}
        className={classes(
          'max-w-48 truncate rounded px-1.5 py-0.5 -outline-offset-2 hover:bg-hover hover:text-ink',
          isHere && 'text-ink',
        )}
      >
        {name}
      </button>
    </li>
  );
}
