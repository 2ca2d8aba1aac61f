import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { errorIn, numberOf, objectsIn, textOf, textsIn } from '../answer-fields.ts';
import { printable } from '../terminal/text-width.ts';

/** The part of a package operation that commands show. */
export interface Operation {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly stage: string | null;
  readonly scriptId: string | null;
  readonly scriptName: string | null;
  readonly version: string | null;
  readonly entriesDone: number;
  readonly bytesDone: number;
  /** The run that prepares the environment. */
  readonly runId: string | null;
  readonly warnings: readonly string[];
  readonly problems: readonly ShownProblem[];
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Reason of a failure, with a hint. */
  readonly error: string | null;
}

/** A problem of a package. */
export interface ShownProblem {
  readonly severity: 'error' | 'note';
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
  readonly advice: string;
}

export function readOperation(answer: JsonObject): Operation {
  const shown = (value: Json | undefined) => {
    const text = textOf(value);
    return text === null ? null : printable(text);
  };
  return {
    id: textOf(answer.operation_id) ?? '',
    kind: textOf(answer.kind) ?? '',
    state: textOf(answer.state) ?? '',
    stage: textOf(answer.stage),
    scriptId: shown(answer.script_id),
    scriptName: shown(answer.script_name),
    version: shown(answer.version),
    entriesDone: numberOf(answer.entries_done) ?? 0,
    bytesDone: numberOf(answer.bytes_done) ?? 0,
    runId: textOf(answer.run_id),
    warnings: textsIn(answer.warnings).map(printable),
    problems: objectsIn(answer.problems).map(readProblem),
    startedAt: textOf(answer.started_at) ?? '',
    endedAt: textOf(answer.ended_at),
    error: isJsonObject(answer.error) ? errorIn(answer.error) : null,
  };
}

/** Name and version of the script, or `otherwise` while the name is unknown. */
export function titleOf({ scriptName, version }: Operation, otherwise: string): string {
  if (scriptName === null) return otherwise;
  return version === null ? scriptName : `${scriptName} ${version}`;
}

function readProblem(problem: JsonObject): ShownProblem {
  return {
    severity: problem.severity === 'note' ? 'note' : 'error',
    file: printable(textOf(problem.file) ?? ''),
    line: numberOf(problem.line),
    message: printable(textOf(problem.message) ?? ''),
    advice: printable(textOf(problem.advice) ?? ''),
  };
}
