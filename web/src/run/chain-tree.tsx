import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';

import { useLive } from '../api/live-events.tsx';
import { runIn } from '../api/run-events.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Panel } from '../parts/panel.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { shownState } from '../parts/words-of-runs.ts';
import { treeQuery } from './run-query.ts';
import { RunTime } from './run-time.tsx';
import { rowsOf, type TreeRow } from './tree-nodes.ts';

interface Asking {
  /** Requests a new answer, because the last one is out of date. */
  readonly request: () => void;
  readonly stop: () => void;
}

const shownAtFirst = 100;
const deepestShown = 8;
/** Minimum time between two fetches of the tree, because runs can start and end in large numbers. */
const refreshEveryMs = 500;

/** The whole chain of calls that a run belongs to, updated live. Renders nothing for a single run. */
export function ChainTree({ runId }: { runId: string }) {
  const say = useSay();
  const { data } = useQuery(treeQuery(runId));
  const rows = useMemo(() => (data === undefined ? [] : rowsOf(data.root)), [data]);
  const [isWhole, setWhole] = useState(false);
  useTreeNews(runId, rows);
  if (data === undefined || rows.length < 2) return null;
  const shown = isWhole ? rows : rows.slice(0, shownAtFirst);
  return (
    <Panel title={say('Call chain', '调用链')}>
      <ol className="flex flex-col gap-0.5">
        {shown.map((row) => (
          <ChainRow key={row.node.run_id} row={row} isHere={row.node.run_id === data.run_id} />
        ))}
      </ol>
      {shown.length < rows.length && (
        <Button size="small" className="mt-2" onClick={() => setWhole(true)}>
          {say(`Show all ${rows.length} runs`, `显示全部 ${rows.length} 次运行`)}
        </Button>
      )}
      {!data.complete && (
        <p className="mt-2 text-xs text-muted">
          {say('Some runs are not shown here.', '还有更多运行未在此显示。')}
        </p>
      )}
    </Panel>
  );
}

function ChainRow({ row: { node, level }, isHere }: { row: TreeRow; isHere: boolean }) {
  return (
    <li style={{ paddingLeft: `${Math.min(level, deepestShown) * 14}px` }}>
      <Link
        href={`/runs/${node.run_id}`}
        aria-current={isHere ? 'page' : undefined}
        className={classes(
          '-mx-1.5 flex items-center gap-2 rounded-lg px-1.5 py-1 hover:bg-hover',
          isHere && 'bg-accent-ground font-medium text-accent',
        )}
      >
        <StateIcon state={shownState(node)} size={15} />
        <span className="truncate" title={node.script_name}>
          {node.script_name}
        </span>
        <span className="ml-auto shrink-0 text-xs font-normal text-muted">
          <RunTime run={node} />
        </span>
      </Link>
    </li>
  );
}

/** Refetches the tree when one of its runs changes or starts another run. */
function useTreeNews(runId: string, rows: readonly TreeRow[]): void {
  const client = useQueryClient();
  const { subscribe } = useLive();
  const known = useRef(new Set([runId]));
  useEffect(() => {
    for (const { node } of rows) known.current.add(node.run_id);
  }, [rows]);
  useEffect(() => {
    const { request, stop } = throttleRequests(
      () => client.invalidateQueries({ queryKey: treeQuery(runId).queryKey }),
      refreshEveryMs,
    );
    const unsubscribe = subscribe((event) => {
      const run = runIn(event);
      if (run === null) return;
      const { run_id, parent_run_id } = run;
      if (!(known.current.has(run_id) || (parent_run_id !== null && known.current.has(parent_run_id))))
        return;
      // Remember the run before the next tree arrives, because it may start other runs first.
      known.current.add(run_id);
      request();
    });
    return () => {
      unsubscribe();
      stop();
    };
  }, [client, subscribe, runId]);
}

/**
 * Throttles repeated requests: at most one every `everyMs`, and never two at a time. A change during a request may be missing in its answer,
 * so the request is repeated afterwards.
 */
export function throttleRequests(ask: () => Promise<unknown>, everyMs: number): Asking {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isRequested = false;
  let isStopped = false;
  const request = () => {
    isRequested = true;
    if (!isAsking && !isStopped) timer ??= setTimeout(turn, everyMs);
  };
  const turn = async () => {
    timer = undefined;
    isAsking = true;
    isRequested = false;
    try {
      await ask();
    } finally {
      isAsking = false;
      if (isRequested) request();
    }
  };
  return {
    request,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
