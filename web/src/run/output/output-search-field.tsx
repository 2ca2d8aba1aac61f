import { ChevronDown, ChevronUp, Search as SearchIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';

import { useSay } from '../../language/language.tsx';
import { IconButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { useCountText } from '../../parts/count-text.ts';
import { inputClasses } from '../../parts/input.ts';
import { isTyping } from '../../parts/keys.ts';
import type { Search } from './use-search.ts';

interface OutputSearchFieldProps {
  readonly query: string;
  readonly onChange: (query: string) => void;
  readonly search: Search;
}

/** `/` and Ctrl+F focus it. Ctrl+F in the field opens the browser's own search. */
export function OutputSearchField({ query, onChange, search }: OutputSearchFieldProps) {
  const say = useSay();
  const countText = useCountText();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isWithCtrl = event.ctrlKey || event.metaKey;
      const isFind = event.key.toLowerCase() === 'f' && isWithCtrl && !event.shiftKey;
      const isSlash = event.key === '/' && !isWithCtrl && !isTyping(event.target);
      if (!(isFind || isSlash) || document.activeElement === field.current) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const { position, count, go } = search;
  const lines = say(count === 1 ? 'line' : 'lines', '行');
  return (
    <div className="flex min-w-0 grow items-center gap-0.5 sm:max-w-80">
      <div className="relative min-w-0 grow">
        <SearchIcon size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-muted" />
        <input
          ref={field}
          type="search"
          value={query}
          aria-label={say('Search the output', '搜索输出')}
          placeholder={say('Search', '搜索')}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onChange('');
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.ctrlKey) return;
            event.preventDefault();
            go(event.shiftKey ? -1 : 1);
          }}
          className={classes(
            inputClasses,
            'h-7 pl-8 text-xs [&::-webkit-search-cancel-button]:hidden',
            query !== '' && 'pr-24',
          )}
        />
        <output className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-xs text-muted">
          {query !== '' &&
            (position > 0 ? `${countText(position)} / ${countText(count)}` : `${countText(count)} ${lines}`)}
        </output>
      </div>
      {query !== '' && (
        <>
          <IconButton
            label={say('Previous (Shift+Enter)', '上一处（Shift+Enter）')}
            className="size-7"
            disabled={count === 0}
            onClick={() => go(-1)}
          >
            <ChevronUp size={15} aria-hidden />
          </IconButton>
          <IconButton
            label={say('Next (Enter)', '下一处（Enter）')}
            className="size-7"
            disabled={count === 0}
            onClick={() => go(1)}
          >
            <ChevronDown size={15} aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}
