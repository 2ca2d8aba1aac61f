import type { BriefRun } from '../api/wire.ts';

/** A run record for tests. */
export function someRun(rest: Partial<BriefRun> = {}): BriefRun {
  return {
    run_id: '00000000-0000-4000-8000-000000000001',
    script_id: '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
    script_name: 'Resize images',
    script_version: null,
    origin: 'console',
    trigger_id: null,
    client: null,
    parent_run_id: null,
    depth: 0,
    attempt: 1,
    first_run_id: null,
    next_attempt_at: null,
    state: 'succeeded',
    end_cause: 'exit',
    exit_code: 0,
    result: null,
    envelope: null,
    data: {},
    params: {},
    queued_at: '2026-05-01T12:00:00.000Z',
    started_at: null,
    ended_at: null,
    duration_ms: null,
    stdout_bytes: null,
    stderr_bytes: null,
    truncated: null,
    left_running: null,
    ...rest,
  };
}
