import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function ScriptPage({ id }: { id: string }) {
  const say = useSay();
  return <PageTitle title={id + say('Script', '脚本')} />;
}
