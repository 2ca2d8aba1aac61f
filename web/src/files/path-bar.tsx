import { ArrowUp, House } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import type { FolderListing } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { inputClasses } from '../parts/input.ts';
import { crumbsOf, folderOf } from './pick.ts';

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
