import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import * as schemas from '../../contract/terminal.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { fieldsAtFault } from '../fields.ts';
import { bodyOf } from '../request.ts';
import { route } from '../route.ts';
import { findRun } from './run-answer.ts';

export function addTerminalRoutes(app: FastifyInstance, { runs, runTerminals }: AppDependencies): void {
  route(app, 'GET /api/runs/:id/terminal', {
    operationId: 'getTerminal',
    tag: 'Runs',
    summary: 'Get the terminal of a run',
    description:
      'For a run started from the console: whether its terminal accepts input, and its size. The output of the script is part of the events of the run.',
    answer: schemas.TerminalAnswer,
    async handle(request, reply) {
      const terminal = await runTerminals.look(findRun(runs, request, reply).runId);
      return {
        open: terminal !== null,
        columns: terminal?.columns ?? null,
        rows: terminal?.rows ?? null,
        output_bytes: terminal?.outputBytes ?? null,
      };
    },
  });

  route(app, 'POST /api/runs/:id/terminal/input', {
    operationId: 'sendTerminalInput',
    tag: 'Runs',
    summary: 'Send input to the terminal of a run',
    description:
      'The script reads the text as if it were typed; Ctrl-C is `\\u0003`. With `sender` and `number`, a client can safely repeat a request that got no response.',
    body: schemas.TerminalInputBody,
    examples: {
      line: { summary: 'A line', body: { text: 'yes\n', sender: 'tab-1', number: 1 } },
      interrupt: { summary: 'Ctrl-C', body: { text: '\u0003' } },
    },
    answer: schemas.TerminalDoneAnswer,
    async handle(request, reply) {
      const { fields } = bodyOf(request);
      const { runId } = findRun(runs, request, reply);
      if (!Value.Check(schemas.TerminalInputBody, fields))
        throw inputInvalid(fieldsAtFault(schemas.TerminalInputBody, fields));
      const { text, sender, number, answers = null } = fields;
      if ((sender === undefined) !== (number === undefined)) throw inputInvalid(['sender', 'number']);
      const order = sender === undefined || number === undefined ? null : { sender, number };
      runTerminals.type(runId, { base64: Buffer.from(text).toString('base64'), order, answers });
      return { status: 'success' };
    },
  });

  route(app, 'POST /api/runs/:id/terminal/size', {
    operationId: 'resizeTerminal',
    tag: 'Runs',
    summary: 'Resize the terminal of a run',
    description: 'The script receives SIGWINCH.',
    body: schemas.TerminalSizeBody,
    examples: {
      wide: { summary: 'A wide terminal', body: { columns: 120, rows: 40 } },
    },
    answer: schemas.TerminalDoneAnswer,
    async handle(request, reply) {
      const { fields } = bodyOf(request);
      const { runId } = findRun(runs, request, reply);
      if (!Value.Check(schemas.TerminalSizeBody, fields))
        throw sizeInvalid(fieldsAtFault(schemas.TerminalSizeBody, fields));
      runTerminals.resize(runId, fields);
      return { status: 'success' };
    },
  });
}

function inputInvalid(fields: string[]): AppError {
  return new AppError('field-invalid', {
    en: 'text must have 1 to 65,536 characters; sender (letters, digits, - and _) and number (from 1) must be sent together or not at all; answers must be an integer from 1',
    zh: 'text 应为 1 到 65,536 个字符；sender（字母、数字、- 和 _）与 number（从 1 起）须同时给出或同时省略；answers 应为从 1 起的整数',
    fields,
  });
}

function sizeInvalid(fields: string[]): AppError {
  return new AppError('field-invalid', {
    en: 'columns must be an integer from 2 to 1,000, rows an integer from 1 to 1,000',
    zh: 'columns 应为 2 到 1,000 的整数，rows 应为 1 到 1,000 的整数',
    fields,
  });
}
