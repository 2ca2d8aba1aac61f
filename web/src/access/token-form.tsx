import { type FormEvent, useState } from 'react';

import { callService, RefusedError, UnreachableError } from '../api/call-service.ts';
import { tryAgainNow } from '../api/follow-events.ts';
import { type Say, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { messageOf } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { FirstField } from '../parts/first-field.tsx';
import { inputClasses } from '../parts/input.ts';

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
  await callService('/api/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
}

function refusalWords(error: unknown, say: Say): string {
  if (error instanceof NoTokenError || (error instanceof RefusedError && error.needsToken))
    return say('Wrong token. Copy the current token and try again.', '令牌不正确');
  return error instanceof UnreachableError
    ? say('Hob is not responding. Check that it is running and try again.', 'Hob 没有响应')
    : messageOf(error);
}
