import { Link } from 'wouter';

import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';

export function NothingHere() {
  const say = useSay();
  return (
    <Empty
      title={say('There is no such page', '没有这个页面')}
      action={
        <Link href="/" className={buttonClasses()}>
          {say('All scripts', '全部脚本')}
        </Link>
      }
    />
  );
}
