import { useSay } from '../language/language.tsx';

/** A loading indicator. It appears after a short delay, because most data arrives earlier. */
export function Loading() {
  const say = useSay();
  return (
    <output className="flex animate-[appear_200ms_250ms_both] items-center justify-center gap-2 p-12 text-muted">
      <span
        className="size-4 animate-spin rounded-full border-2 border-line-strong border-t-accent"
        aria-hidden
      />
      {say('Loading…', '加载中……')}
    </output>
  );
}
