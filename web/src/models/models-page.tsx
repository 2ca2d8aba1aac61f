import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function ModelsPage() {
  const say = useSay();
  return <PageTitle title={say('Models', '模型')} />;
}
