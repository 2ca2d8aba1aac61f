import Type from 'typebox';

/**
 * The shapes on the wire, once: requests are checked against these very schemas, and the OpenAPI document is made from them.
 */
export const Nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Envelope = Type.Object(
  {
    code: Type.Integer({ description: '0 is success; -1, -2 and -3 are written by Hob itself.' }),
    msg: Type.String(),
  },
  { additionalProperties: true, description: 'What the script wrote to environment.output_json.' },
);

export const data = Type.Optional(
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())], {
    description: "Values of the main input: an object keyed by the input's name, or a bare list.",
  }),
);

export const params = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), { description: "Overrides of the manifest's params." }),
);

export const LaterError = Type.Object(
  {
    status: Type.Literal('error'),
    code: Type.String(),
    message: Type.String(),
    hint: Type.String(),
    fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What has to be sent, or sent otherwise, such as `params.key`, where that can be named.',
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The files and folders at fault, as the list of problems has them.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Refused.' },
);

/** What else a caller says it is, is not written down. */
export const OriginHeaders = Type.Object({
  'x-hob-origin': Type.Optional(
    Type.String({
      description:
        'console or cli: written down as the `origin` of the run in place of execute. Such a run is watched, so no window is opened for it; one from the console has a terminal for its page instead.',
    }),
  ),
});
