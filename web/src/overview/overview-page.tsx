import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function OverviewPage() {
  const say = useSay();
  return <PageTitle title={say('Overview', '概览')} />;
}
