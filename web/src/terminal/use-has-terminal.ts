import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { terminalQuery } from '../api/queries.ts';

/** Whether a run has an open terminal, or had one since the page was opened. It stays visible after the run has ended. */
export function useHasTerminal(runId: string, isLive: boolean): boolean {
  const [hasHad, setHad] = useState(false);
  const { data } = useQuery({ ...terminalQuery(runId), enabled: isLive && !hasHad });
  if (data?.open === true && !hasHad) setHad(true);
  return hasHad || data?.open === true;
}
