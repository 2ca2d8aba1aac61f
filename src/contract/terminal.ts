import Type from 'typebox';
import { Closed, Count, Flag, Named, Nullable, Success } from './common.ts';

export const TerminalAnswer = Named(
  'RunTerminal',
  Closed(
    {
      open: Flag('Whether the run has a terminal that accepts input.'),
      columns: Nullable(Type.Integer()),
      rows: Nullable(Type.Integer()),
      output_bytes: Nullable(Count('Output bytes written so far, for a terminal of this size.')),
    },
    'The terminal of the run. The other fields are null if it is not open.',
  ),
);

export const TerminalInputBody = Named(
  'TerminalInput',
  Type.Object({
    text: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The input, including control characters.',
    }),
    sender: Type.Optional(
      Type.String({
        pattern: '^[\\w-]{1,64}$',
        description: 'A name that is unique to this sender. Requires `number`.',
      }),
    ),
    number: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Sequence number within this sender. Hob ignores an input whose number is not larger than the last one, because it is a repetition.',
      }),
    ),
    answers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'Set if the input is the reply of a terminal emulator to a query of the script, such as the cursor position: the number of output bytes at the query. Hob passes on only the first reply to each query.',
      }),
    ),
  }),
);

/** Larger than any screen. Limited, because terminal emulators allocate memory for this size. */
export const TerminalSizeBody = Named(
  'TerminalSize',
  Type.Object({
    columns: Type.Integer({ minimum: 2, maximum: 1000 }),
    rows: Type.Integer({ minimum: 1, maximum: 1000 }),
  }),
);

export const TerminalDoneAnswer = Named('TerminalDone', Success({}, 'The terminal received it.'));
