import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { callService, RefusedError } from '../api/call-service.ts';
import type { Rerun } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { messageOf } from '../parts/failure.tsx';
import { useToast } from '../parts/toasts.tsx';
import { neededSecrets } from './needed-secrets.ts';
import { deletionKey, runPageKey } from './run-query.ts';

type Params = Readonly<Record<string, unknown>>;

/** The actions for a run, with error messages. */
export function useRunActions(runId: string) {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [secrets, setSecrets] = useState<readonly string[]>([]);
  const path = `/api/runs/${encodeURIComponent(runId)}`;
  const showError = (title: string) => (error: unknown) => {
    const hint = error instanceof RefusedError ? error.hint : null;
    toast({ kind: 'error', title, message: [messageOf(error), hint].filter(Boolean).join('\n') });
  };

  const cancel = useMutation({
    mutationFn: () => callService(`${path}/cancel`, { method: 'POST' }),
    onError: showError(say('Could not cancel the run', '无法取消')),
    onSettled: () => client.invalidateQueries({ queryKey: [runPageKey, runId] }),
  });
  const again = useMutation({
    mutationFn: (params: Params) => callService<Rerun>(`${path}/rerun`, { method: 'POST', body: { params } }),
    onSuccess: ({ run_id }) => navigate(`/runs/${run_id}`),
    onError: (error) => {
      const needed = neededSecrets(error);
      if (needed.length > 0) setSecrets(needed);
      else showError(say('Could not run again', '无法重新运行'))(error);
    },
  });
  const remove = useMutation({
    mutationKey: deletionKey(runId),
    mutationFn: () => callService(path, { method: 'DELETE' }),
    onMutate: () => client.cancelQueries({ queryKey: [runPageKey, runId] }),
    onSuccess: () => {
      // Long lists are not refetched as a whole, so remove them from the cache.
      client.removeQueries({ queryKey: ['run-list'] });
      navigate('/runs');
      client.removeQueries({ queryKey: [runPageKey, runId] });
      void client.invalidateQueries({ queryKey: ['runs'] });
      toast({ kind: 'success', title: say('Run deleted', '运行记录已删除') });
    },
    onError: (error) => {
      showError(say('Could not delete the run', '无法删除'))(error);
      void client.invalidateQueries({ queryKey: [runPageKey, runId] });
    },
  });
  return {
    cancel: () => cancel.mutate(),
    isStopping: cancel.isPending || cancel.isSuccess,
    runAgain: (params: Params = {}) => {
      if (!again.isPending) again.mutate(params);
    },
    isStarting: again.isPending,
    /** Names of the secrets that a new run needs. */
    secrets,
    closeSecrets: () => setSecrets([]),
    remove: () => remove.mutate(),
  };
}

export type RunActions = ReturnType<typeof useRunActions>;
