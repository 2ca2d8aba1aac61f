import { durationText, useNow } from './time.tsx';

/** How long something has been going on, ticking. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return (
    <span className="whitespace-nowrap tabular-nums">
      {seconds < 60 ? `${seconds} s` : durationText(seconds * 1000)}
    </span>
  );
}
