import { setTimeout as wait } from 'node:timers/promises';

/** Repeats a question until the answer is not null. Null after the time limit. */
export async function poll<Answer>(
  question: () => Promise<Answer | null>,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Promise<Answer | null> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const answer = await question();
    if (answer !== null) return answer;
    await wait(everyMs);
  }
  return null;
}
