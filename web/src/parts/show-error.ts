import { useSay } from '../language/language.tsx';
import { hintOf, messageOf } from './failure.tsx';
import { useToast } from './toasts.tsx';

/** Returns a function that reports a failed change under a title. */
export function useShowError() {
  const say = useSay();
  const toast = useToast();
  return (title: string) => (error: unknown) => {
    const message = [messageOf(error, say), hintOf(error)].filter(Boolean).join('\n');
    toast({ kind: 'error', title, message, durationMs: 10_000 });
  };
}
