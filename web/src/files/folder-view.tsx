import { ArrowUp, CornerDownRight, File, FileQuestion, Folder, House } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';

import type { FolderEntry, FolderListing } from '../api/wire.ts';
import { tagOf, useLanguage, useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { inputClasses } from '../parts/field.tsx';
import { bytesText } from '../parts/format.ts';
import { useRowsInView } from '../parts/use-rows-in-view.ts';
import { crumbsOf, folderOf } from './pick.ts';

const rowPx = 36;

interface EntryListProps {
  readonly id: string;
  readonly label: string;
  readonly entries: readonly FolderEntry[];
  /** Content to show if there are no entries. */
  readonly nothing: () => ReactNode;
  readonly active: number;
  readonly isMany: boolean;
  readonly canPick: (entry: FolderEntry) => boolean;
  readonly isPicked: (entry: FolderEntry) => boolean;
  /** `isMark`: the click was on the checkbox of the row. */
  readonly onClick: (index: number, isMark: boolean) => void;
  readonly onDoubleClick: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The entries of a folder. Only the rows in view are rendered. */
export function EntryList(props: EntryListProps) {
  const { id, label, entries, nothing, active, isMany, onClick, onDoubleClick, onKeyDown } = props;
  const box = useRef<HTMLDivElement>(null);
  const { from, until } = useRowsInView({ list: box, scrolls: 'list', count: entries.length, rowPx });
  useKeptInView(box, active);
  const indexOf = (event: MouseEvent<HTMLElement>) => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    return row === null ? -1 : Number(row.getAttribute('data-index'));
  };
  return (
    <div className="relative">
      <div
        ref={box}
        id={id}
        role="listbox"
        tabIndex={-1}
        aria-label={label}
        aria-multiselectable={isMany}
        onKeyDown={onKeyDown}
        // Keep the focus in the filter field.
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => {
          const isMark = event.target instanceof Element && event.target.closest('[data-mark]') !== null;
          if (indexOf(event) >= 0) onClick(indexOf(event), isMark);
        }}
        onDoubleClick={(event) => indexOf(event) >= 0 && onDoubleClick(indexOf(event))}
        className="relative h-[min(24rem,45dvh)] overflow-y-auto rounded-lg border border-line bg-surface outline-none"
      >
        <div role="presentation" className="relative" style={{ height: entries.length * rowPx }}>
          {entries.slice(from, until).map((entry, offset) => (
            <Row key={entry.name} {...props} entry={entry} index={from + offset} />
          ))}
        </div>
      </div>
      {entries.length === 0 && (
        <div className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-3 p-6 text-center text-muted">
          {nothing()}
        </div>
      )}
    </div>
  );
}

interface RowProps extends EntryListProps {
  readonly entry: FolderEntry;
  readonly index: number;
}

function Row({ id, entry, index, entries, active, canPick, isPicked }: RowProps) {
  const { language } = useLanguage();
  const { name, kind, link, size, modified } = entry;
  const [isFree, isChosen] = [canPick(entry), isPicked(entry)];
  const Icon = kind === 'folder' ? Folder : kind === 'file' ? File : FileQuestion;
  return (
    <div
      id={`${id}-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-disabled={!isFree && kind !== 'folder'}
      aria-setsize={entries.length}
      aria-posinset={index + 1}
      data-index={index}
      style={{ top: index * rowPx, height: rowPx }}
      className={classes(
        'absolute inset-x-0 flex cursor-pointer items-center gap-2.5 px-2.5 select-none',
        isChosen ? 'bg-accent-ground' : index === active ? 'bg-hover' : 'hover:bg-hover',
        index === active && 'inset-ring-1 inset-ring-line-strong',
        !isFree && kind !== 'folder' && 'text-muted italic',
      )}
    >
      <span data-mark={isFree || undefined} className="grid h-full w-5 shrink-0 place-items-center">
        {isFree && (
          <span
            className={classes(
              'grid size-4 place-items-center rounded border text-[11px] leading-none font-bold',
              isChosen ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
            )}
          >
            {isChosen && '✓'}
          </span>
        )}
      </span>
      <Icon
        size={17}
        aria-hidden
        className={classes('shrink-0', kind === 'folder' ? 'text-accent' : 'text-muted')}
      />
      <span className="min-w-0 grow truncate" title={name}>
        {name}
      </span>
      {link && <CornerDownRight size={14} aria-hidden className="shrink-0 text-muted" />}
      {size !== null && <span className="shrink-0 text-xs text-muted tabular-nums">{bytesText(size)}</span>}
      {modified !== null && (
        <span className="hidden w-24 shrink-0 text-right text-xs text-muted tabular-nums sm:block">
          {new Date(modified).toLocaleDateString(tagOf(language))}
        </span>
      )}
    </div>
  );
}

/** Scrolls the active row into view, by the shortest distance. */
function useKeptInView(box: RefObject<HTMLElement | null>, active: number): void {
  useEffect(() => {
    const element = box.current;
    if (element === null || active < 0) return;
    const [top, bottom] = [active * rowPx, (active + 1) * rowPx];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
  }, [box, active]);
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
export function PathBar({ asked, listing, isComing, onGo }: PathBarProps) {
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
