import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { openAnswer } from '../api/call-service.ts';
import { useSay } from '../language/language.tsx';
import { CodeBox } from '../parts/code-box.tsx';

/** Why a build failed stands at its end. */
const lastBytes = 20_000;

const logQuery = (runId: string) =>
  queryOptions({
    queryKey: ['build-log', runId],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=-${lastBytes}` };
      const read = async (stream: string) => {
        const path = `/api/runs/${encodeURIComponent(runId)}/${stream}`;
        return (await openAnswer(path, { headers, signal })).text();
      };
      // A stream with nothing in it has no such range.
      const parts = await Promise.all(['stdout', 'stderr'].map((stream) => read(stream).catch(() => '')));
      return parts.join('').trim();
    },
  });

/** What the tools said that prepare what a script needs. */
export function BuildLog({ runId }: { runId: string }) {
  const say = useSay();
  const { data } = useQuery(logQuery(runId));
  if (data === undefined || data === '') return null;
  return (
    <div>
      <div className="mb-1 flex items-center justify-between">
        <p className="font-medium">{say('Log', '日志')}</p>
        <Link href={`/runs/${runId}`} className="text-[13px] text-accent underline">
          {say('View full log', '查看全部')}
        </Link>
      </div>
      <CodeBox label={say('Log', '日志')} text={data} />
    </div>
  );
}
