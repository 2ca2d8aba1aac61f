import type { FastifyInstance } from 'fastify';

import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { readTail } from '../output/read-tail.ts';
import { sendPage } from '../pages/page.ts';
import { runPage, unknownRunPage } from '../pages/run-page.ts';
import { whenAnsweredOr } from '../when-answered.ts';

/** The page of a run, for people: this is where a click on a notification leads. */
export function addRunPageRoute(
  app: FastifyInstance,
  { runs, runStore, outputs, clock, closing }: AppDependencies,
): void {
  // Not part of the interface: what programs read has its own paths.
  app.get<{ Params: { id: string } }>('/runs/:id', { schema: { hide: true } }, async (request, reply) => {
    const language = languageOf(request, 'en');
    const run = runStore.findBrief(request.params.id.toLowerCase());
    if (run === null) {
      void reply.header('x-hob-error', 'run-unknown');
      return sendPage(reply, 404, unknownRunPage(request.params.id, language));
    }
    void reply.header('x-hob-run-id', run.runId);
    const signal = whenAnsweredOr(closing, request, reply);
    const [stdout, stderr, notes] = await Promise.all([
      readTail(outputs, run, 'stdout', signal),
      readTail(outputs, run, 'stderr', signal),
      runs.notes(run.runId),
    ]);
    return sendPage(reply, 200, runPage({ run, stdout, stderr, notes, language, now: clock.now() }));
  });
}
