import { KeyRound } from 'lucide-react';

import { useSay } from '../language/language.tsx';
import { useTabTitle } from '../parts/page-title.tsx';
import { TokenForm } from './token-form.tsx';

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
