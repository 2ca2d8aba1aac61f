import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function RunPage({ id }: { id: string }) {
  const say = useSay();
  return <PageTitle title={id + say('Run', '运行')} />;
}
