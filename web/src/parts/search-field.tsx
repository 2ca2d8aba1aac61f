import { Search } from 'lucide-react';
import { useEffect, useRef } from 'react';

import { classes } from './classes.ts';
import { inputClasses } from './field.tsx';
import { isTyping } from './keys.ts';

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly placeholder: string;
  readonly onEnter?: () => void;
  readonly results?: SearchResults;
}

/** A list of results that the arrow keys move through while the focus stays in the field. */
interface SearchResults {
  /** The id of the list. */
  readonly id: string;
  /** The id of the result that Enter opens. */
  readonly markedId: string | undefined;
  readonly onStep: (step: 1 | -1) => void;
}

/** A search field. `/` focuses it from anywhere on the page, and Escape clears it. */
export function SearchField({ value, onChange, label, placeholder, onEnter, results }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="relative mb-5">
      <Search size={17} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        ref={field}
        type="search"
        value={value}
        aria-label={label}
        placeholder={placeholder}
        aria-controls={results?.id}
        aria-activedescendant={results?.markedId}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          // Keys belong to the input method during composition.
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') onChange('');
          if (event.key === 'Enter') onEnter?.();
          if (results === undefined || !(event.key === 'ArrowDown' || event.key === 'ArrowUp')) return;
          event.preventDefault();
          results.onStep(event.key === 'ArrowDown' ? 1 : -1);
        }}
        className={classes(inputClasses, 'h-10 pl-10')}
      />
      {/* Browsers show a clear button in its place once there is text. */}
      {value === '' && (
        <kbd className="pointer-events-none absolute top-1/2 right-3 hidden -translate-y-1/2 rounded border border-line px-1.5 font-mono text-xs text-muted md:block">
          /
        </kbd>
      )}
    </div>
  );
}
