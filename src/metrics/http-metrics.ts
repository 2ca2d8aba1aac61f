import { Counter, Histogram, type Registry } from 'prom-client';

import { type ErrorCode, errorCodes } from '../shared/errors.ts';

export interface Answered {
  /** The pattern of the route, not the requested path, which may contain an id. Undefined: no route matched. */
  readonly route: string | undefined;
  readonly method: string;
  /** Undefined: the caller disconnected before the answer. */
  readonly status: number | undefined;
  /** Null: Hob did not control the duration. */
  readonly durationMs: number | null;
}

const durationBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Counts HTTP requests and their outcomes. No label has a value that a caller can choose freely. */
export class HttpMetrics {
  readonly #accessRefusals: Counter<'rule'>;
  readonly #refusedByRule = new Map<string, number>();
  readonly #refusals: Counter<'code'>;
  readonly #answers: Counter<'route' | 'method' | 'status'>;
  readonly #durations: Histogram<'route' | 'method'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#accessRefusals = new Counter({
      name: 'hob_door_refusals_total',
      help: 'Requests refused by an access rule, by error code.',
      labelNames: ['rule'],
      registers,
    });
    this.#refusals = new Counter({
      name: 'hob_refusals_total',
      help: 'Requests refused after the access rules, by error code.',
      labelNames: ['code'],
      registers,
    });
    this.#answers = new Counter({
      name: 'hob_http_answers_total',
      help: 'Responses to requests that passed the access rules. Status "none": the client closed the connection before the response.',
      labelNames: ['route', 'method', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'hob_http_answer_duration_seconds',
      help: 'Response time, from the request header to the last byte of the response. Excludes responses that wait for a script or stay open.',
      labelNames: ['route', 'method'],
      buckets: durationBuckets,
      registers,
    });
    // A rate needs a counter that exists before its first event.
    for (const code of Object.keys(errorCodes)) {
      if (isDoorCode(code)) {
        this.#accessRefusals.inc({ rule: code }, 0);
        this.#refusedByRule.set(code, 0);
      } else this.#refusals.inc({ code }, 0);
    }
  }

  /** Number of requests that each access rule refused. */
  get accessRefusals(): Record<string, number> {
    return Object.fromEntries(this.#refusedByRule);
  }

  refused(code: ErrorCode): void {
    if (isDoorCode(code)) {
      this.#accessRefusals.inc({ rule: code });
      this.#refusedByRule.set(code, (this.#refusedByRule.get(code) ?? 0) + 1);
    } else this.#refusals.inc({ code });
  }

  answered({ route = 'unmatched', method: asked, status, durationMs }: Answered): void {
    const method = methods.has(asked) ? asked : 'other';
    this.#answers.inc({ route, method, status: statusClass(status) });
    if (durationMs !== null) this.#durations.observe({ route, method }, durationMs / 1000);
  }
}

/** Access rules whose codes have no `door-` prefix: malformed, too large or too slow requests. */
const limitCodes = new Set<string>([
  'request-malformed',
  'request-header-too-large',
  'request-timeout',
  'body-too-large',
  'content-type-unsupported',
  'notify-content-type',
] satisfies ErrorCode[]);

function isDoorCode(code: string): boolean {
  return code.startsWith('door-') || limitCodes.has(code);
}

function statusClass(status: number | undefined): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}
