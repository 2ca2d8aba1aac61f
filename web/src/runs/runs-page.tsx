import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function RunsPage() {
  const say = useSay();
  return <PageTitle title={say('Runs', '运行记录')} />;
}
