import { KeyRound } from 'lucide-react';
import { type FormEvent, useState } from 'react';

import { callService } from '../api/call-service.ts';
import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { messageOf } from '../parts/failure.tsx';
import { inputClasses } from '../parts/input.ts';

/** Where the service asks for its token: it is shown once, and a cookie stands for it from then on. */
export function TokenPage() {
  const say = useSay();
  const [token, setToken] = useState('');
  const [refusal, setRefusal] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await callService('/api/session', {
        method: 'POST',
        headers: { authorization: `Bearer ${token.trim()}` },
      });
      location.reload();
    } catch (error) {
      setRefusal(messageOf(error));
    }
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        onSubmit={(event) => void submit(event)}
        className="flex w-full max-w-md flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-sm"
      >
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <KeyRound size={20} aria-hidden className="text-accent" />
          {say('This Hob asks for its token', '此 Hob 需要令牌')}
        </h1>
        <p className="text-muted">
          {say('On the machine where it runs, this prints it: ', '在运行它的机器上执行以下命令即可查看：')}
          <code className="rounded bg-hover px-1.5 py-0.5 font-mono text-ink">hob token</code>
        </p>
        <label className="flex flex-col gap-1.5 font-medium">
          {say('Token', '令牌')}
          <input
            type="password"
            autoComplete="current-password"
            required
            value={token}
            onChange={({ target }) => setToken(target.value)}
            className={inputClasses}
          />
        </label>
        {refusal !== null && (
          <p role="alert" className="text-bad">
            {refusal}
          </p>
        )}
        <Button type="submit" look="primary">
          {say('Go on', '继续')}
        </Button>
      </form>
    </main>
  );
}
