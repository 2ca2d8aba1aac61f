import { useCallback, useState } from 'react';

import { readChoice, writeChoice } from '../parts/browser-memory.ts';

const place = 'hob.downloads.put-away';
/** As many as the service remembers. */
const most = 100;

/** Downloads that came to nothing and that nobody wants to see any more. The service forgets them when it is started anew. */
export function usePutAway(): [ReadonlySet<string>, (downloadId: string) => void] {
  const [ids, setIds] = useState<ReadonlySet<string>>(
    () => new Set((readChoice(place) ?? '').split(' ').filter(Boolean)),
  );
  const putAway = useCallback((id: string) => {
    setIds((before) => {
      const next = [...before, id].slice(-most);
      writeChoice(place, next.join(' '));
      return new Set(next);
    });
  }, []);
  return [ids, putAway];
}
