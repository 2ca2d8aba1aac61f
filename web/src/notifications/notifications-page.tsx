import { useSay } from '../language/language.tsx';
import { PageTitle } from '../parts/page-title.tsx';

export function NotificationsPage() {
  const say = useSay();
  return <PageTitle title={say('Notifications', '通知')} />;
}
