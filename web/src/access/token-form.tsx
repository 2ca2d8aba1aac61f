import { KeyRound } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { tryAgainNow } from '../api/follow-events.ts';
import { hob, isUnreachable, needsToken } from '../api/hob.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { messageOf } from '../parts/failure.tsx';
import { Field, FirstField, inputClasses } from '../parts/field.tsx';
import { useTabTitle } from '../parts/page-title.tsx';

/** Exchanges the token for a session cookie. */
export function TokenForm() {
  const say = useSay();
  const [token, setToken] = useState('');
  const [refusal, setRefusal] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await startSession(token.trim());
      tryAgainNow();
    } catch (error) {
      setRefusal(refusalWords(error, say));
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <p className="text-muted">
        {say(
          'To see the token, run this command on the machine where Hob runs: ',
          '在运行它的机器上执行以下命令即可查看：',
        )}
        <code className="rounded bg-hover px-1.5 py-0.5 font-mono text-ink">hob token</code>
      </p>
      <Field label={say('Token', '令牌')}>
        {({ id }) => (
          <FirstField
            id={id}
            type="password"
            autoComplete="current-password"
            required
            value={token}
            onChange={({ target }) => setToken(target.value)}
            className={inputClasses}
          />
        )}
      </Field>
      {refusal !== null && (
        <p role="alert" className="text-bad">
          {refusal}
        </p>
      )}
      <Button type="submit" look="primary">
        {say('Sign in', '继续')}
      </Button>
    </form>
  );
}

class NoTokenError extends Error {}

async function startSession(token: string): Promise<void> {
  // Other characters are not valid in a header and never occur in a token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new NoTokenError();
  await hob.request('POST', '/api/session', { headers: { authorization: `Bearer ${token}` } });
}

function refusalWords(error: unknown, say: Say): string {
  if (error instanceof NoTokenError || needsToken(error))
    return say('Wrong token. Copy the current token and try again.', '令牌不正确');
  return isUnreachable(error)
    ? say('Hob is not responding. Check that it is running and try again.', 'Hob 没有响应')
    : messageOf(error, say);
}

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

/** Shown instead of the console until the user has signed in. */
export function TokenPage() {
  const say = useSay();
  useTabTitle(say('Sign in', '令牌'));
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-md flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-sm">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <KeyRound size={20} aria-hidden className="text-accent" />
          {say('Sign in to Hob', '此 Hob 需要令牌')}
        </h1>
        <TokenForm />
      </div>
    </main>
  );
}
