import Type from 'typebox';

import { Closed, Flag, Named, Nullable, Success, Text, Uuid } from './common.ts';
import { agentAnswers } from './values.ts';

const Choice = {
  offered: Nullable(Flag('Whether agents may use the script. Null: the rule for all scripts applies.')),
  asks: Nullable(Flag('Whether the user is asked before each run. Null: the rule for all scripts applies.')),
};

const AgentScriptAnswer = Named(
  'AgentScript',
  Closed(
    {
      script_id: Uuid,
      slug: Type.String(),
      name: Type.String(),
      tool: Text('Name of the tool that agents call.'),
      packaged: Flag('Whether it belongs to an installed package.'),
      offered: Flag('Whether agents may use it.'),
      asks: Flag('Whether the user is asked before each run that an agent wants.'),
      choice: Closed(Choice, 'The choice of the user.'),
    },
    'A script as agents may or may not use it.',
  ),
);

const AgentQuestionAnswer = Named(
  'AgentQuestion',
  Closed(
    {
      id: Uuid,
      script_id: Uuid,
      script_name: Type.String(),
      tool: Type.String(),
      client: Text('The program of the agent, by the name that it gives itself.'),
      args: Text('The arguments of the call, shortened for reading.'),
      asked_at: Type.String({ format: 'date-time' }),
      expires_at: Type.String({ format: 'date-time' }),
    },
    'A run that an agent wants and that waits for the consent of the user.',
  ),
);

export const AgentsAnswer = Named(
  'Agents',
  Closed(
    {
      scripts: Type.Array(AgentScriptAnswer),
      questions: Type.Array(AgentQuestionAnswer, { description: 'The open questions, the oldest first.' }),
      mcp_url: Text('The address of the MCP endpoint.'),
    },
    'The scripts that agents may use, and what agents wait for.',
  ),
);

export const AgentQuestionsAnswer = Named(
  'AgentQuestionList',
  Closed(
    { items: Type.Array(AgentQuestionAnswer), next: Type.Null() },
    'The open questions, the oldest first.',
  ),
);

export const AgentChoiceBody = Named(
  'AgentChoice',
  Type.Object({ offered: Type.Optional(Choice.offered), asks: Type.Optional(Choice.asks) }),
);

export const AgentChoiceAnswer = AgentScriptAnswer;

export const AgentAnswerBody = Named(
  'AgentAnswer',
  Type.Object({
    answer: Type.Enum(agentAnswers, {
      description: '`allow` this run, `always` allow this script, or `refuse` this run.',
    }),
  }),
);

export const AgentAnswered = Named(
  'AgentAnswered',
  Success({ message: Type.String() }, 'The answer was accepted.'),
);
