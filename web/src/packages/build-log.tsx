import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';

import { openAnswer } from '../api/call-service.ts';
import { useSay } from '../language/language.tsx';
import { CodeBox } from '../parts/code-box.tsx';

/** The reason of a failed build is at the end of the log. */
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
      // An empty stream answers a range request with an error.
      const parts = await Promise.all(['stdout', 'stderr'].map((stream) => read(stream).catch(() => '')));
      return parts.join('').trim();
    },
  });

/** The end of the log of an environment build. */
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
