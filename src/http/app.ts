import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';

import swagger from '@fastify/swagger';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';

import { identifyCaller } from '../runs/callers/chain.ts';
import { AppError } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { takeFormsToo, takeJsonOnly } from './body-parsers.ts';
import { countAnswer } from './count-answer.ts';
import type { AppDependencies } from './dependencies.ts';
import { wasAdmitted } from './door/admitted.ts';
import { tokenOf } from './door/run-address.ts';
import { answerError, internalError, notifyContentType } from './error-answers.ts';
import { openApiInfo } from './openapi.ts';
import { RouteIndex } from './route-index.ts';
import { addEventRoute } from './routes/events.ts';
import { addExecuteRoute } from './routes/execute.ts';
import { addHealthRoute } from './routes/health.ts';
import { addHistoryRoutes } from './routes/history.ts';
import { addLinkRoute } from './routes/link.ts';
import { addMetricsRoute } from './routes/metrics.ts';
import { addModelPathRoute } from './routes/model-path.ts';
import { addNotifyRoute } from './routes/notify.ts';
import { addOutputRoutes } from './routes/output.ts';
import { addProgressRoute } from './routes/progress.ts';
import { addRunEventRoute } from './routes/run-events.ts';
import { addRunRoutes } from './routes/runs.ts';
import { addScriptRoutes } from './routes/scripts.ts';
import { addSessionRoutes } from './routes/session.ts';
import { addStopRoute } from './routes/stop.ts';

/** The whole HTTP application, without a socket. */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { log, runStore, metrics } = dependencies;
  // As many as there are callers who wait for something.
  setMaxListeners(0, dependencies.closing);
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: AppError) => {
    metrics.http.refused(error.code);
    sendError(request, reply, error);
  };
  const app = fastify({
    // Requests are not logged by fastify: it would write down addresses with run tokens in them.
    logger: false,
    bodyLimit: dependencies.jsonBodyBytes,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error, request, reply) => {
      countAnswer(metrics.http, request, reply);
      refuse(
        request,
        reply,
        new AppError('request-malformed', { en: 'The path is malformed.', zh: '路径格式错误。' }),
      );
    },
  });
  // Handlers check requests themselves, against the schemas in `wire/`, because the order of the checks is part of the interface.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  takeJsonOnly(app, dependencies.jsonBodyBytes);

  app.addHook('onRequest', async (request) => {
    if (!wasAdmitted(request.raw)) throw notByTheDoor();
  });
  app.decorateRequest('isLasting', false);
  app.addHook('onRequest', (request, reply, done) => {
    countAnswer(metrics.http, request, reply);
    done();
  });
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const token = tokenOf(request.raw);
    if (token !== null) request.caller = identifyCaller(token, runStore);
  });

  const routes = new RouteIndex();
  app.addHook('onRoute', (route) => routes.add(route));
  await app.register(swagger, { openapi: openApiInfo(dependencies.version) });
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    refuse(request, reply, toAppError(error, pathOf(request), log));
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.methodsAt(request.url);
    if (allowed.length === 0) return refuse(request, reply, unknownPath(request.url));
    reply.raw.setHeader('allow', allowed.join(', '));
    return refuse(request, reply, wrongMethod(request.method, allowed));
  });

  await app.register((api, _options, done) => {
    takeFormsToo(api, dependencies.formBodyBytes);
    addExecuteRoute(api, dependencies);
    done();
  });
  await app.register((api, _options, done) => {
    addLinkRoute(api, dependencies);
    addNotifyRoute(api, dependencies);
    addModelPathRoute(api, dependencies);
    addScriptRoutes(api, dependencies);
    addRunRoutes(api, dependencies);
    addHistoryRoutes(api, dependencies);
    addEventRoute(api, dependencies);
    addRunEventRoute(api, dependencies);
    addProgressRoute(api, dependencies);
    addOutputRoutes(api, dependencies);
    addHealthRoute(api, dependencies);
    addStopRoute(api, dependencies);
    addSessionRoutes(api, dependencies);
    addMetricsRoute(api, dependencies);
    api.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger());
    done();
  });
  await app.ready();
  return app;
}

/** Whoever puts a way around the door into Hob finds every route closed. */
function notByTheDoor(): AppError {
  return internalError(new Error('a request reached a route without having come by the door'));
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  const { status, headers, body } = answerError(error, pathOf(request), acceptLanguage(request.raw));
  if (error.code === 'body-too-large' && request.raw.httpVersion === '1.1') {
    // Closing while the caller still sends would make it see a broken connection instead of this answer; what is left of
    // the body is read and dropped instead.
    reply.header('connection', 'keep-alive');
  }
  void reply.code(status).headers(headers).send(body);
}

/** The route's own path where there is one: a caller may spell it with escapes. */
function pathOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? request.url;
}

function acceptLanguage(request: IncomingMessage): string | undefined {
  return request.headers['accept-language'];
}

/** What fastify refuses by itself, as one of ours. Anything unexpected is a defect, and logged as one. */
function toAppError(error: FastifyError | Error, url: string, log: Logger): AppError {
  if (error instanceof AppError) {
    if (error.code === 'internal' || error.code === 'executor-unavailable')
      log.error({ err: error }, error.message);
    return error;
  }
  const code = 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return url.split('?', 1)[0] === '/api/notify' ? notifyContentType() : unsupportedType();
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body-too-large', {
        en: 'The body is larger than is taken (settings json_body_mib and form_body_mib). Put large inputs into files.',
        zh: '请求体超过上限（设置 json_body_mib 和 form_body_mib），较大的内容请放入文件。',
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new AppError('body-malformed', {
        en: 'The body is not as long as announced.',
        zh: '请求体长度与声明不符。',
      });
    default:
      log.error({ err: error }, 'a request failed because of a defect');
      return internalError(error);
  }
}

function unsupportedType(): AppError {
  return new AppError('content-type-unsupported', {
    en: 'The content type must be application/json (execute takes application/x-www-form-urlencoded, too).',
    zh: 'Content-Type 应为 application/json（execute 也接受 application/x-www-form-urlencoded）。',
  });
}

function unknownPath(url: string): AppError {
  const path = (url.split('?', 1)[0] ?? '').slice(0, 200);
  const way =
    path === '/' ? ' GET /api/scripts lists the scripts, GET /api/openapi.json describes the interface.' : '';
  return new AppError('path-unknown', {
    en: `There is nothing at ${path}${way && '.'}${way}`,
    zh: `路径不存在: ${path}`,
  });
}

function wrongMethod(method: string, allowed: readonly string[]): AppError {
  const methods = allowed.join(', ');
  return new AppError('method-not-allowed', {
    en: `${method} is not possible here, only ${methods}`,
    zh: `此路径不支持 ${method}，仅支持 ${methods}`,
  });
}
