import type { OperationView } from '../packages/package-operation.ts';
import type { PackageSource } from '../packages/package-source.ts';
import type { Problem } from '../scripts/script.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';

/** The JSON form of a package operation. */
export function operationAnswer(operation: OperationView, language: Language): JsonObject {
  const { script, source, error } = operation;
  return {
    operation_id: operation.id,
    kind: operation.kind,
    state: operation.state,
    stage: operation.stage,
    script_id: script?.id ?? null,
    script_name: script?.name ?? null,
    version: script?.version ?? null,
    source: source === null ? null : sourceAnswer(source),
    entries_done: operation.entriesDone,
    bytes_done: operation.bytesDone,
    run_id: operation.runId,
    warnings: operation.warnings.map((warning) => warning[language]),
    problems: operation.problems.map((problem) => problemAnswer(problem, language)),
    started_at: operation.startedAt,
    ended_at: operation.endedAt,
    error:
      error === null
        ? null
        : { code: error.code, message: error.text[language], hint: error.hint?.[language] ?? '' },
  };
}

export function sourceAnswer({ kind, location, ref, path }: PackageSource) {
  return { kind, location, ref, path };
}

function problemAnswer(problem: Problem, language: Language): JsonObject {
  const { severity, file, line, message, advice } = problem;
  return { severity, file, line, message: message[language], advice: advice[language] };
}
