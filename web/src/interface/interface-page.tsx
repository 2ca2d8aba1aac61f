import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function InterfacePage() {
  const say = useSay();
  return <PageTitle title={say('Interface', '接口')} />;
}
