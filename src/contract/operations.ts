import Type from 'typebox';
import { data, Envelope, Nullable, OriginHeaders, params } from './common.ts';
import { notificationTypes } from './values.ts';

const scriptId = Type.Optional(Type.String({ description: 'UUID of the script.' }));

export const LinkBody = Type.Object({ script_id: scriptId, data, params });

export const ExecuteBody = Type.Object({
  script_id: scriptId,
  sync: Type.Optional(
    Type.Boolean({ description: 'true: wait for the end of the run and return its outcome.' }),
  ),
  data,
  params,
  temp_file: Type.Optional(
    Type.String({ description: 'Absolute path of a file with the arguments (legacy).' }),
  ),
});

export const ExecuteHeaders = Type.Object({
  ...OriginHeaders.properties,
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Repeating a request with the same key and body returns the same run. The same key with a different body is refused.',
    }),
  ),
});

export const ExecuteForm = Type.Object({
  script_id: scriptId,
  sync: Type.Optional(Type.String({ description: 'true, false, 1, 0, yes, no, on or off.' })),
  data: Type.Optional(Type.String({ description: 'JSON text.' })),
  params: Type.Optional(Type.String({ description: 'JSON text.' })),
  temp_file: Type.Optional(Type.String()),
});

export const ExecutionAnswer = Type.Object(
  {
    status: Type.Enum(['success', 'error']),
    message: Type.String(),
    exit_code: Type.Integer(),
    success: Type.Boolean(),
    timed_out: Type.Boolean(),
    stdout: Type.String(),
    stderr: Type.String(),
    result: Envelope,
  },
  { additionalProperties: false, description: 'The outcome of the run.' },
);

export const AcceptedAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    run_id: Type.String({ format: 'uuid' }),
  },
  { additionalProperties: false, description: 'The run is stored and will be executed.' },
);

export const ExecutionError = Type.Object(
  { status: Type.Literal('error'), message: Type.String() },
  { additionalProperties: false, description: 'The error. The script was not run.' },
);

export const NotifyBody = Type.Object({
  notify_type: Type.Enum(notificationTypes),
  message: Type.Optional(Nullable(Type.String())),
  duration: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 5000,
      description: 'Milliseconds until it disappears; 0: it stays until the user closes it.',
    }),
  ),
  show_close: Type.Optional(Type.Boolean({ default: false, description: 'Whether it has a close button.' })),
});

export const NotifyAnswer = Type.Object(
  { success: Type.Literal(true) },
  { additionalProperties: false, description: 'The notification was accepted.' },
);

export const NotifyError = Type.Object(
  { error: Type.String() },
  { additionalProperties: false, description: 'Refused.' },
);

export const ModelPathQuery = Type.Object({ repo_id: Type.String({ description: 'owner/name' }) });

export const ModelPathAnswer = Type.Object(
  {
    code: Type.Literal(200),
    data: Type.Object({ path: Type.String(), repo_id: Type.String() }, { additionalProperties: false }),
    message: Type.String(),
    success: Type.Literal(true),
  },
  { additionalProperties: false, description: 'The folder of the model.' },
);

export const ModelPathError = Type.Object(
  {
    code: Type.Integer(),
    data: Type.Object({}, { additionalProperties: false }),
    message: Type.String(),
    success: Type.Literal(false),
  },
  { additionalProperties: false, description: 'The error, for example that the model is not downloaded.' },
);
