import { useSay } from '../language/language.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TokenForm } from './token-form.tsx';

/** Asks for the token again in a dialog, so that unsaved input on the page is kept. */
export function TokenDialog({ isOpen }: { isOpen: boolean }) {
  const say = useSay();
  return (
    <Dialog
      isOpen={isOpen}
      title={say('Sign in again', 'Hob 需要重新验证令牌')}
      description={say(
        'Your session has ended: Hob was restarted, its token was renewed, or you signed out elsewhere. Your input on this page is kept.',
        '服务已重新启动、令牌已更换，或您已在别处退出登录。此页面上已填写的内容会保留。',
      )}
    >
      <TokenForm />
    </Dialog>
  );
}
