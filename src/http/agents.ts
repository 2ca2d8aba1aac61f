import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';

import * as schemas from '../contract/agents.ts';
import type { AgentQuestion, AgentScript } from '../contract/types.ts';
import type { Question } from '../mcp/confirmations.ts';
import type { AgentScript as OfferedScript } from '../mcp/offers.ts';
import type { Slugs } from '../scripts/slugs.ts';
import { AppError } from '../shared/errors.ts';
import { requireSameUser } from './access/same-user.ts';
import type { AppDependencies } from './dependencies.ts';
import { checkQuery, fieldsAtFault, noSuch, refuseUnknown } from './fields.ts';
import { bodyOf, success } from './request.ts';
import { route } from './route.ts';
import { resolveScript } from './scripts.ts';

const tag = 'Agents';

export function addAgentRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { offers, confirmations, catalogue, slugs, settings } = dependencies;
  route(app, 'GET /api/agents', {
    operationId: 'getAgents',
    tag,
    summary: 'List the scripts for agents',
    description:
      'Lists all usable scripts, with whether AI agents may call them as tools, and the runs that wait for the consent of the user.',
    answer: schemas.AgentsAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      return {
        scripts: (await offers.all()).map((script) => scriptAnswer(script, slugs)),
        questions: confirmations.questions.map(questionAnswer),
        mcp_url: `${settings.reached().address}/mcp`,
      };
    },
  });

  route(app, 'PUT /api/agents/scripts/:id', {
    operationId: 'chooseForAgents',
    tag,
    summary: 'Offer a script to agents',
    description:
      'Stores whether agents may use the script with this id or slug, and whether the user is asked before each run. An absent field keeps its value, and null restores the rule for all scripts.',
    body: schemas.AgentChoiceBody,
    examples: {
      offer: { summary: 'Offer it, and ask before each run', body: { offered: true, asks: true } },
    },
    answer: schemas.AgentChoiceAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { fields } = bodyOf(request);
      const schema = schemas.AgentChoiceBody;
      refuseUnknown(fields, schema);
      if (!Value.Check(schema, fields)) throw invalidChoice(fieldsAtFault(schema, fields));
      const given = request.params.id;
      const { id } = await resolveScript(catalogue, (await slugs.find(given)) ?? given, given);
      const { isOffered, isAsked } = offers.choiceOf(id);
      const { offered = isOffered, asks = isAsked } = fields;
      offers.choose({ scriptId: id, isOffered: offered, isAsked: asks });
      const chosen = (await offers.all()).find(({ script }) => script.id === id);
      // The script was removed in the meantime.
      if (chosen === undefined) throw unknownScript(given);
      return scriptAnswer(chosen, slugs);
    },
  });

  route(app, 'GET /api/agents/questions', {
    operationId: 'listAgentQuestions',
    tag,
    summary: 'List the questions of agents',
    description: 'Lists the runs that agents want and that wait for the consent of the user.',
    answer: schemas.AgentQuestionsAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      return { items: confirmations.questions.map(questionAnswer), next: null };
    },
  });

  route(app, 'POST /api/agents/questions/:id', {
    operationId: 'answerAgentQuestion',
    tag,
    summary: 'Answer a question of an agent',
    description:
      'Allows or refuses the run that an agent waits for. If the agent no longer waits, its next identical call within ten minutes of the question receives the answer, once.',
    body: schemas.AgentAnswerBody,
    examples: { allow: { summary: 'Allow this run', body: { answer: 'allow' } } },
    answer: schemas.AgentAnswered,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { fields } = bodyOf(request);
      refuseUnknown(fields, schemas.AgentAnswerBody);
      if (!Value.Check(schemas.AgentAnswerBody, fields)) throw invalidAnswer();
      const { id } = request.params;
      if (!confirmations.answer(id, fields.answer)) throw unknownQuestion(id);
      const isAllowed = fields.answer !== 'refuse';
      return success(
        request,
        isAllowed
          ? { en: 'The run was allowed', zh: '已允许运行' }
          : { en: 'The run was refused', zh: '已拒绝运行' },
        {},
      );
    },
  });
}

function scriptAnswer(
  { script, toolName, isPackaged, isOffered, isAsked, choice }: OfferedScript,
  slugs: Slugs,
): AgentScript {
  return {
    script_id: script.id,
    slug: slugs.of(script.id),
    name: script.name,
    tool: toolName,
    packaged: isPackaged,
    offered: isOffered,
    asks: isAsked,
    choice: { offered: choice.isOffered, asks: choice.isAsked },
  };
}

function questionAnswer(question: Question): AgentQuestion {
  const { id, scriptId, scriptName, toolName, client, args, askedAt, expiresAt } = question;
  return {
    id,
    script_id: scriptId,
    script_name: scriptName,
    tool: toolName,
    client,
    args,
    asked_at: askedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

function unknownScript(id: string): AppError {
  return noSuch('script-unknown', { en: 'script', zh: '脚本' }, id, {
    en: 'GET /api/agents lists the usable scripts.',
    zh: 'GET /api/agents 列出可用的脚本。',
  });
}

function unknownQuestion(id: string): AppError {
  return new AppError(
    'question-unknown',
    {
      en: `The question is not open: ${id.slice(0, 100)}. It was answered, or it expired.`,
      zh: `问题未处于待答状态: ${id.slice(0, 100)}。它已有回答，或已过期。`,
    },
    {
      hint: {
        en: 'GET /api/agents lists the open questions. An agent that still wants the run asks again.',
        zh: 'GET /api/agents 列出待答的问题。仍需运行的智能体会再次询问。',
      },
    },
  );
}

function invalidChoice(fields: readonly string[]): AppError {
  return new AppError(
    'field-invalid',
    { en: 'offered and asks must be true, false or null.', zh: 'offered 和 asks 应为 true、false 或 null。' },
    { fields },
  );
}

function invalidAnswer(): AppError {
  return new AppError(
    'field-invalid',
    { en: 'answer must be allow, always or refuse.', zh: 'answer 应为 allow、always 或 refuse。' },
    { fields: ['answer'] },
  );
}
