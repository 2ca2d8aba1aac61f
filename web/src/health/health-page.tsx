import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function HealthPage() {
  const say = useSay();
  return <PageTitle title={say('Settings', '设置')} />;
}
