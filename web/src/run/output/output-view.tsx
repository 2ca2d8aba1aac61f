import { ArrowDown } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';

import { useSay } from '../../language/language.tsx';
import { Button } from '../../parts/button.tsx';
import { markFound, scrollToLine } from './mark-found.ts';
import { chaptersOf, OutputChapter } from './output-chapter.tsx';
import type { Block } from './output-lines.ts';
import type { StreamChoice } from './shown-lines.ts';
import { useFollow } from './use-follow.ts';
import { useNear } from './use-near.ts';
import type { Search } from './use-search.ts';

interface OutputViewProps {
  readonly blocks: readonly Block[];
  readonly choice: StreamChoice;
  readonly isWrapped: boolean;
  readonly search: Search;
  /** Content before the first line. */
  readonly children?: ReactNode;
}

/** A scrollable view of the lines that follows the end. */
export function OutputView({ blocks, choice, isWrapped, search, children }: OutputViewProps) {
  const say = useSay();
  const scroller = useRef<HTMLElement>(null);
  const { isFollowing, follow, leave } = useFollow(scroller, blocks);
  const near = useNear(scroller, blocks, choice, isWrapped, isFollowing);
  const { pattern, current } = search;
  const [blockKey, line] = [current?.blockKey ?? null, current?.line ?? null];

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || blockKey === null || line === null) return;
    leave();
    scrollToLine(element, { blockKey, line });
    // Scroll again, because blocks that came into view have their real height only now.
    const frame = requestAnimationFrame(() => scrollToLine(element, { blockKey, line }));
    return () => cancelAnimationFrame(frame);
  }, [blockKey, line, leave]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these changes the shown text
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let frame: number | null = null;
    const mark = () => {
      frame = null;
      markFound(element, pattern, current);
    };
    const onScroll = () => {
      frame ??= requestAnimationFrame(mark);
    };
    mark();
    if (pattern !== null) element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [pattern, blockKey, line, blocks, choice, isWrapped, near]);

  return (
    <div className="relative">
      <section
        ref={scroller}
        aria-label={say('Output', '输出')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it while it has the focus
        tabIndex={0}
        className="relative max-h-[62dvh] min-h-20 overflow-auto py-2 font-mono text-[13px] leading-[20px] [overflow-anchor:none] [tab-size:8] focus-visible:-outline-offset-2"
      >
        <div>
          {children}
          {chaptersOf(blocks).map((chapter) => (
            <OutputChapter
              key={chapter.key}
              blocks={chapter.blocks}
              choice={choice}
              isWrapped={isWrapped}
              near={near}
            />
          ))}
        </div>
      </section>
      {!isFollowing && (
        <Button
          size="small"
          className="absolute right-4 bottom-3 animate-[arrive_150ms_ease-out] shadow-lg"
          onClick={follow}
        >
          <ArrowDown size={14} aria-hidden />
          {say('Jump to end', '跳到末尾')}
        </Button>
      )}
    </div>
  );
}
