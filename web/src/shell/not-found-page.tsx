import { Link } from 'wouter';

import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { useTabTitle } from '../parts/page-title.tsx';

export function NotFoundPage() {
  const say = useSay();
  const title = say('Page not found', '没有这个页面');
  useTabTitle(title);
  return (
    <Empty
      isPage
      title={title}
      action={
        <Link href="/" className={buttonClasses()}>
          {say('All scripts', '全部脚本')}
        </Link>
      }
    />
  );
}
