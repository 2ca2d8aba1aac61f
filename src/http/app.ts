import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';

import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import { OpenApiAnswer } from '../contract/service.ts';
import type { HttpMetrics } from '../metrics/metrics.ts';
import { identifyCaller } from '../runs/run.ts';
import { AppError } from '../shared/errors.ts';
import { tokenOf } from './access/access-rules.ts';
import { wasAdmitted } from './access/guarded-server.ts';
import { addAgentRoutes } from './agents.ts';
import { addConsoleRoutes, isOfPrograms, isPageVisit, sendConsole } from './console.ts';
import type { AppDependencies } from './dependencies.ts';
import { addEnvironmentRoutes } from './environments.ts';
import {
  answerError,
  internalError,
  pathOf,
  pathOfTarget,
  toAppError,
  unknownPath,
  wrongMethod,
} from './error-answers.ts';
import { addEventRoute } from './events/events.ts';
import { addFilesRoute, addOpenFolderRoute } from './files.ts';
import { addMcpRoute } from './mcp.ts';
import { addModelRoutes } from './models.ts';
import { addNotificationRoutes } from './notifications.ts';
import { type Operation, openApiDocument } from './openapi.ts';
import { addPackageRoutes } from './packages.ts';
import { takeFormsToo, takeJsonOnly } from './request.ts';
import { route } from './route.ts';
import { addExecuteRoute, addLinkRoute } from './runs/execute.ts';
import { addHistoryRoutes } from './runs/history.ts';
import { addOutputRoutes } from './runs/output.ts';
import { addRunEventRoutes } from './runs/run-events.ts';
import { addRunRoutes } from './runs/runs.ts';
import { addScriptRunRoute } from './runs/script-runs.ts';
import { addTerminalRoutes } from './runs/terminal.ts';
import { addScriptRoutes } from './scripts.ts';
import { addSecretRoutes } from './secrets.ts';
import { addServiceRoutes } from './service.ts';
import { addTriggerRoutes } from './triggers.ts';

/** In the order of the OpenAPI document. */
const routes = [
  addLinkRoute,
  addNotificationRoutes,
  addModelRoutes,
  addScriptRoutes,
  addScriptRunRoute,
  addFilesRoute,
  addPackageRoutes,
  addEnvironmentRoutes,
  addSecretRoutes,
  addRunRoutes,
  addHistoryRoutes,
  addEventRoute,
  addRunEventRoutes,
  addOutputRoutes,
  addOpenFolderRoute,
  addTerminalRoutes,
  addTriggerRoutes,
  addAgentRoutes,
  addServiceRoutes,
];

/** The methods of each path. Distinguishes a wrong method (405) from an unknown path (404). */
export class RouteIndex {
  readonly #routes: { pattern: RegExp; methods: string[] }[] = [];

  add({ url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
    const methods = Array.isArray(method) ? method : [method];
    const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
    this.#routes.push({ pattern, methods: [...methods] });
  }

  methodsAt(url: string): string[] {
    const path = pathOfTarget(url);
    const methods = this.#routes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((route) => route.methods);
    return [...new Set(methods)].sort();
  }
}

/** The whole HTTP application, without a socket. */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { runStore, metrics } = dependencies;
  // Every waiting request adds a listener, so Node's warning about a leak does not apply.
  setMaxListeners(0, dependencies.closing);
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: AppError) => {
    metrics.http.refused(error.code);
    sendError(request, reply, error);
  };
  const app = fastify({
    // Fastify must not log requests: their addresses may contain run tokens.
    logger: false,
    bodyLimit: dependencies.jsonBodyBytes,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error, request, reply) => {
      countAnswer(metrics.http, request, reply);
      refuse(
        request,
        reply,
        new AppError('request-malformed', { en: 'The path is not valid.', zh: '路径格式错误。' }),
      );
    },
  });
  // Handlers check requests themselves, against the schemas in `contract/`, because the order of the checks is part of the interface.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  takeJsonOnly(app, dependencies.jsonBodyBytes);

  app.decorateRequest('isLasting', false);
  app.decorateRequest('caller', null);
  // A single hook without promises, because it runs for every request.
  app.addHook('onRequest', (request, reply, done) => {
    if (!wasAdmitted(request.raw)) {
      done(bypassedAccessRules());
      return;
    }
    countAnswer(metrics.http, request, reply);
    const token = tokenOf(request.raw);
    try {
      if (token !== null) request.caller = identifyCaller(token, runStore);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  });

  app.addHook('preHandler', (_request, reply, done) => {
    // An access rule may refuse a request while its body arrives. No handler may run then.
    if (reply.raw.headersSent) reply.hijack();
    done();
  });

  const index = new RouteIndex();
  const operations: Operation[] = [];
  app.addHook('onRoute', (added) => {
    index.add(added);
    const { operation, isUndescribed } = added.config ?? {};
    if (operation !== undefined && added.method !== 'HEAD') operations.push(operation);
    if (operation === undefined && !isUndescribed && isOfPrograms(added.url))
      throw new Error(`the route ${added.url} has no description for the OpenAPI document`);
  });
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    // The server has already answered: the request was incomplete.
    if (reply.raw.headersSent) return void reply.hijack();
    // The caller disconnected before the first byte of a file. Fastify then closes the file and reports that as an error.
    if (isCutShort(error) && reply.raw.destroyed) return void reply.hijack();
    return refuse(request, reply, toAppError(error, request, dependencies));
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = index.methodsAt(request.url);
    if (allowed.length === 0 && dependencies.consoleFolder !== null && isPageVisit(request)) {
      const error = unknownPath(request.url);
      const { status, headers } = answerError(error, pathOf(request), acceptLanguage(request.raw));
      metrics.http.refused(error.code);
      return sendConsole(reply.code(status).headers(headers));
    }
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
    for (const addRoutes of routes) addRoutes(api, dependencies);
    route(api, 'GET /api/openapi.json', {
      operationId: 'getOpenApiDocument',
      tag: 'Service',
      summary: 'Get the OpenAPI document',
      description: 'Returns this interface as an OpenAPI 3.1 document.',
      answer: OpenApiAnswer,
      handle: async ({ socket }) =>
        openApiDocument(operations, { version: dependencies.version, port: socket.localPort ?? 0 }),
    });
    done();
  });
  addMcpRoute(app, dependencies);
  await addConsoleRoutes(app, dependencies.consoleFolder);
  await app.ready();
  return app;
}

function isCutShort(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Every route refuses a request that bypassed the access rules, so a defect that opens a bypass gives no access. */
function bypassedAccessRules(): AppError {
  return internalError(new Error('a request reached a route without an access check'));
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  const { status, headers, body } = answerError(error, pathOf(request), acceptLanguage(request.raw));
  if (error.code === 'body-too-large' && request.raw.httpVersion === '1.1') {
    // If the server closed the connection now, a caller that still sends would see a connection error instead of this
    // answer. The server reads and discards the rest of the body instead.
    reply.header('connection', 'keep-alive');
  }
  void reply.code(status).headers(headers).send(body);
}

function acceptLanguage(request: IncomingMessage): string | undefined {
  return request.headers['accept-language'];
}

/**
 * Counts the answer to a request when it is complete or its caller has disconnected. The duration metric shows how fast Hob is.
 * Answers that wait for a script, which may take hours, or that stay open for events would distort it, so their handlers set
 * `isLasting` and they are counted without a duration. The time to the first byte is no alternative: in a synchronous call it
 * includes the script's time. The duration of scripts has a separate metric.
 */
function countAnswer(metrics: HttpMetrics, request: FastifyRequest, { raw }: FastifyReply): void {
  const beganMs = performance.now();
  // Not `finish`: that event does not fire if the caller disconnects.
  raw.once('close', () => {
    metrics.answered({
      route: request.routeOptions?.url,
      method: request.method,
      status: raw.headersSent ? raw.statusCode : undefined,
      durationMs: raw.headersSent && !request.isLasting ? performance.now() - beganMs : null,
    });
  });
}
