import { useCallback, useState } from 'react';

import { readChoice, writeChoice } from '../parts/browser-memory.ts';

const place = 'hob.downloads.put-away';
/** The number of downloads that the service remembers. */
const most = 100;

/** Ids of failed downloads that the user has dismissed. The service itself forgets them when it restarts. */
export function useDismissedDownloads(): [ReadonlySet<string>, (downloadId: string) => void] {
  const [ids, setIds] = useState<ReadonlySet<string>>(
    () => new Set((readChoice(place) ?? '').split(' ').filter(Boolean)),
  );
  const dismiss = useCallback((id: string) => {
    setIds((before) => {
      const next = [...before, id].slice(-most);
      writeChoice(place, next.join(' '));
      return new Set(next);
    });
  }, []);
  return [ids, dismiss];
}
