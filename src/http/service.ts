import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import * as schemas from '../contract/service.ts';
import { RuntimesAnswer, SettingsAnswer } from '../contract/settings.ts';
import type { Health } from '../contract/types.ts';
import { installAdvice, interpreterSpec } from '../scripts/languages.ts';
import type { SurveyedRuntime } from '../scripts/runtimes/survey-runtimes.ts';
import { AppError } from '../shared/errors.ts';
import type { Language } from '../shared/text.ts';
import { interfaceVersion } from '../shared/version.ts';
import type { AppDependencies } from './dependencies.ts';
import { checkQuery } from './fields.ts';
import { bodyOf, languageOf } from './request.ts';
import { route } from './route.ts';

/** The service itself: its health, its settings, the interpreters on its machine, its end, its sessions and its metrics. */
export function addServiceRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { runs, executor, desktop, warm, version, metrics, guard } = dependencies;
  const startedMs = performance.now();
  route(app, 'GET /api/health', {
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Check the health of the service',
    description:
      'Returns the state of the service. In token mode, a caller without a token gets no list of interpreters.',
    answer: schemas.HealthAnswer,
    async handle({ raw }): Promise<Health> {
      const { state, pid, silentPids } = executor.state;
      return {
        status: 'ok',
        version,
        interface: interfaceVersion,
        uptime_s: Math.round(performance.now() - startedMs) / 1000,
        running: runs.running,
        queued: runs.queued,
        executor: { state, pid, silent_pids: [...silentPids] },
        containment: runs.containment,
        desktop: desktop.state,
        warm: warmAnswer(warm, { isKnown: guard === null || guard.isKnown(raw) }),
        refused: metrics.http.accessRefusals,
      };
    },
  });

  route(app, 'GET /api/settings', {
    operationId: 'listSettings',
    tag: 'Service',
    summary: 'List settings',
    description:
      'Lists the value, default and source of every setting. The service reads its settings when it starts. Secrets are not included.',
    answer: SettingsAnswer,
    async handle(request) {
      checkQuery(request.query);
      const language = languageOf(request, 'en');
      const { settings } = dependencies;
      return {
        home: settings.home,
        file: settings.file,
        ...settings.reached(),
        items: settings.items.map((item) => ({
          name: item.name,
          value: item.value,
          default: item.default,
          source: item.origin?.kind ?? 'default',
          set_by: item.origin?.name ?? null,
          description: item.meaning[language],
        })),
        next: null,
      };
    },
  });

  route(app, 'GET /api/runtimes', {
    operationId: 'listRuntimes',
    tag: 'Service',
    summary: 'List runtimes',
    description:
      'Lists the interpreters that run scripts, installed or missing, and the scripts that need them.',
    answer: RuntimesAnswer,
    async handle(request) {
      checkQuery(request.query);
      const language = languageOf(request, 'en');
      const surveyed = await dependencies.runtimes.survey();
      return { items: surveyed.map((each) => runtimeItem(each, language)), next: null };
    },
  });

  route(app, 'POST /api/stop', {
    operationId: 'stopService',
    tag: 'Service',
    summary: 'Stop the service',
    description:
      'Refuses new runs, waits for synchronous calls to finish, then stops. Asynchronous runs continue, unless `all` is true.',
    body: schemas.StopBody,
    examples: {
      keep: { summary: 'Let asynchronous runs continue', body: {} },
      all: { summary: 'Stop all runs, too', body: { all: true } },
    },
    answer: schemas.StopAnswer,
    async handle(request, reply) {
      const { fields } = bodyOf(request);
      if (!Value.Check(schemas.StopBody, fields))
        throw new AppError('field-invalid', {
          en: 'all must be true or false',
          zh: 'all 应为布尔值',
          fields: ['all'],
        });
      // Send the answer first: a stopping service closes its connections.
      reply.raw.once('finish', () => dependencies.requestStop({ all: fields.all === true }));
      return { status: 'success', message: 'Hob is stopping' };
    },
  });

  // A browser sends the token once, and then uses a session cookie.
  route(app, 'POST /api/session', {
    operationId: 'startSession',
    tag: 'Service',
    summary: 'Start a session',
    description:
      'Exchanges the token, sent as `Authorization: Bearer`, for a session cookie, so that a browser can use the console. The session ends when it is ended or expires, when the token is renewed, or when the service stops. If the service requires no token, there is no session and `expires_at` is null.',
    answer: schemas.SessionAnswer,
    async handle(request, reply) {
      const session = guard?.startSession(request.socket.localPort ?? 0) ?? null;
      if (session !== null) void reply.header('set-cookie', session.cookie);
      return { status: 'success', expires_at: session?.expiresAt.toISOString() ?? null };
    },
  });

  route(app, 'DELETE /api/session', {
    operationId: 'endSession',
    tag: 'Service',
    summary: 'End a session',
    description: 'Revokes the session and deletes its cookie.',
    answer: schemas.SessionAnswer,
    async handle(request, reply) {
      if (guard !== null) void reply.header('set-cookie', guard.endSession(request.raw));
      return { status: 'success', expires_at: null };
    },
  });

  route(app, 'GET /metrics', {
    operationId: 'getMetrics',
    tag: 'Service',
    summary: 'Get metrics',
    description: 'Returns counters and gauges of the service and its process in the Prometheus text format.',
    answer: { description: 'All metrics.', content: { 'text/plain': { schema: schemas.MetricsText } } },
    async handle(_request, reply) {
      const text = await metrics.write();
      return reply.type(metrics.contentType).send(text);
    },
  });
}

const noWarmState = { hits: 0, misses: 0, memoryBytes: 0, isShortOfMemory: false, kinds: [] };

/**
 * The state of the warm interpreters; zeros before the executor's first report. Callers that are not authenticated get no list of
 * interpreters, because it contains paths.
 */
function warmAnswer(
  { limits, state }: AppDependencies['warm'],
  { isKnown }: { isKnown: boolean },
): Health['warm'] {
  const { hits, misses, memoryBytes, isShortOfMemory, kinds } = state() ?? noWarmState;
  return {
    hits,
    misses,
    memory_bytes: memoryBytes,
    budget_bytes: limits.memoryBytes,
    short_of_memory: isShortOfMemory,
    interpreters: (isKnown ? kinds : []).map((kind) => ({
      language: kind.language,
      path: kind.file,
      preload: [...kind.preload],
      forked: kind.isForked,
      waiting: kind.waiting,
      memory_bytes: kind.memoryBytes,
    })),
  };
}

function runtimeItem({ language: name, search, users }: SurveyedRuntime, language: Language) {
  const found = search.kind === 'found' ? search.interpreter : null;
  return {
    language: name,
    version: interpreterSpec(name).isVersionless ? null : (found?.version ?? null),
    path: found?.path ?? null,
    install: found === null ? installAdvice(name)[language] : null,
    needed_by: users.map((script) => ({ script_id: script.id, script_name: script.name })),
  };
}
