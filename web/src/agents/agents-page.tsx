import { useQuery } from '@tanstack/react-query';

import { agentsQuery } from '../api/queries.ts';
import { useSay } from '../language/language.tsx';
import { Pending } from '../parts/failure.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { AgentScripts } from './agent-scripts.tsx';
import { ConnectPanel } from './connect-panel.tsx';
import { Questions } from './questions.tsx';

/** The runs that agents wait for, how to connect an agent, and the scripts that agents may use. */
export function AgentsPage() {
  const say = useSay();
  const { data, error, refetch } = useQuery(agentsQuery);
  return (
    <>
      <PageTitle title={say('Agents', '智能体')} />
      {data === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : (
        <div className="flex flex-col gap-5">
          <Questions questions={data.questions} />
          <ConnectPanel url={data.mcp_url} />
          <AgentScripts scripts={data.scripts} />
        </div>
      )}
    </>
  );
}
