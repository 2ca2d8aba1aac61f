import Type from 'typebox';

/**
 * The schemas of requests and answers. Requests are checked against them, and the OpenAPI document is generated from them.
 */
export const Nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Envelope = Type.Object(
  {
    code: Type.Integer({ description: '0 means success; -1, -2 and -3 are set by Hob.' }),
    msg: Type.String(),
  },
  {
    additionalProperties: true,
    description:
      'The JSON object that the script wrote to `environment.output_json`, or that Hob synthesized.',
  },
);

export const data = Type.Optional(
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
    description: "Values of the main input: an object keyed by the input's name, or a plain array.",
  }),
);

export const params = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Values that override the params of the manifest.',
  }),
);

export const LaterError = Type.Object(
  {
    status: Type.Literal('error'),
    code: Type.String(),
    message: Type.String(),
    hint: Type.String(),
    fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The request fields that are missing or invalid, such as `params.key`, if known.',
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The files and folders at fault, as in the list of problems.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The error.' },
);

/** Other values of the header are ignored. */
export const OriginHeaders = Type.Object({
  'x-hob-origin': Type.Optional(
    Type.String({
      description:
        '`console` or `cli`: stored as the `origin` of the run instead of `execute`. Such a run opens no window; a run from the console gets a terminal in its page instead.',
    }),
  ),
});
