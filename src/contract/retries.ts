import Type, { type Static } from 'typebox';
import { retryCauses } from './values.ts';

/** Limits that a schema cannot state for a text: the longest `backoff`, and the longest delay at all. */
export const longestDelayMs = 24 * 3_600_000;

export const retryDefaults = { attempts: 1, backoffMs: 10_000, factor: 2, on: ['exit', 'timeout'] } as const;

/** When a run that failed is tried again: in a manifest, in a request and in triggers.toml. */
export const RetriesSchema = Type.Object(
  {
    attempts: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        default: retryDefaults.attempts,
        description: 'Maximum number of attempts, including the first one.',
      }),
    ),
    backoff: Type.Optional(
      Type.String({
        default: '10s',
        examples: ['500ms', '10s', '5m', '2h'],
        description: 'Time between the end of the first attempt and the second one, at most 24h.',
      }),
    ),
    factor: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        default: retryDefaults.factor,
        description: 'Each further wait is this many times as long as the one before, and at most 24h.',
      }),
    ),
    on: Type.Optional(
      Type.Array(Type.Enum(retryCauses), {
        default: [...retryDefaults.on],
        description: 'The end causes of a failed attempt after which the run is tried again.',
      }),
    ),
  },
  { description: 'When a run that failed is tried again. Each attempt is a run of its own.' },
);
export type GivenRetries = Static<typeof RetriesSchema>;
