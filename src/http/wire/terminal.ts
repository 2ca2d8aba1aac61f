import Type from 'typebox';

import { Nullable } from './common.ts';

/** Larger than any screen; what draws one allocates by it. */
const columns = Type.Integer({ minimum: 2, maximum: 1000 });
const rows = Type.Integer({ minimum: 1, maximum: 1000 });

export const TerminalAnswer = Type.Object(
  {
    open: Type.Boolean({ description: 'Whether there is a terminal, and it takes input.' }),
    columns: Nullable(Type.Integer()),
    rows: Nullable(Type.Integer()),
    output_bytes: Nullable(
      Type.Integer({ description: 'What was written so far, for a terminal of this size.' }),
    ),
  },
  {
    additionalProperties: false,
    description: 'The terminal of the run. All else is null where it is not open.',
  },
);

export const TerminalInputBody = Type.Object({
  text: Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: 'What is typed, control characters included.',
  }),
  sender: Type.Optional(
    Type.String({
      pattern: '^[\\w-]{1,64}$',
      description: 'Who types, by a name that nobody else has. Goes with `number`.',
    }),
  ),
  number: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The how manieth piece of this sender it is. One that is not larger than the last is taken for a repetition and not typed again.',
    }),
  ),
  answers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'It is the answer of a terminal to what the script has asked when it had written so many bytes, such as where the cursor is. Of several answers to the same the first counts.',
    }),
  ),
});

export const TerminalSizeBody = Type.Object({ columns, rows });

export const TerminalDoneAnswer = Type.Object(
  { status: Type.Literal('success') },
  { additionalProperties: false, description: 'It was passed on.' },
);
