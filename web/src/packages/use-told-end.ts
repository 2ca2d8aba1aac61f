import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

import type { Operation } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { useToast } from '../parts/toasts.tsx';

/** Who has closed the dialog is told how it ended; and what the end has changed is asked for anew. */
export function useToldEnd(operation: Operation | null, isWatched: boolean): void {
  const say = useSay();
  const toast = useToast();
  const client = useQueryClient();
  const told = useRef<string | null>(null);
  useEffect(() => {
    if (operation === null || operation.state === 'running' || told.current === operation.operation_id)
      return;
    told.current = operation.operation_id;
    for (const key of ['scripts', 'script', 'packages']) void client.invalidateQueries({ queryKey: [key] });
    if (isWatched || operation.state === 'cancelled') return;
    const name = operation.script_name ?? operation.source?.location ?? '';
    if (operation.state === 'done')
      toast({ kind: 'success', title: say(`${name} is ready`, `${name} 已就绪`) });
    else
      toast({
        kind: 'error',
        title: say(`${name}: it did not work`, `${name}：操作失败`),
        message: operation.error?.message ?? null,
        durationMs: 0,
      });
  }, [operation, isWatched, client, toast, say]);
}
