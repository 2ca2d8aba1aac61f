import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { TerminalView } from '../terminal/terminal-view.tsx';
import { useHasTerminal } from '../terminal/use-has-terminal.ts';

export function RunPage({ id }: { id: string }) {
  const say = useSay();
  const hasTerminal = useHasTerminal(id, true);
  return (
    <>
      <PageTitle title={say('Run', '运行')} />
      {hasTerminal && <TerminalView runId={id} isLive />}
    </>
  );
}
