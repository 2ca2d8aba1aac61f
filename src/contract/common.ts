import Type from 'typebox';

/**
 * The schemas of requests and answers. Requests are checked against them, and the OpenAPI document is generated from them.
 */
export const Nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Text = (description: string) => Type.String({ description });
export const OptionalText = (description: string) => Type.Optional(Text(description));
export const Texts = (description: string) => Type.Array(Type.String(), { description });
export const Count = (description: string) => Type.Integer({ description });
export const Flag = (description: string) => Type.Boolean({ description });
export const Uuid = Type.String({ format: 'uuid' });
export const NullableText = Nullable(Type.String());

/** An object without other fields. */
export const Closed = <Fields extends Type.TProperties>(fields: Fields, description?: string) =>
  Type.Object(fields, { additionalProperties: false, ...(description !== undefined && { description }) });

export const Success = <Fields extends Type.TProperties>(fields: Fields, description: string) =>
  Closed({ status: Type.Literal('success'), ...fields }, description);

/** A list that is always complete. */
export const List = <Item extends Type.TSchema>(item: Item, description: string) =>
  Closed({ items: Type.Array(item), next: Type.Null() }, description);

export const Page = <Item extends Type.TSchema>(item: Item, description: string) =>
  Closed({ items: Type.Array(item), next: NullableText }, description);

/** Why an activity failed; null unless it failed. */
export const Failure = (description: string) =>
  Nullable(Closed({ code: Type.String(), message: Type.String(), hint: Type.String() }, description));

export const cursor = OptionalText('`next` of the previous page.');

export const NeededBy = Type.Array(Closed({ script_id: Type.String(), script_name: Type.String() }));

export const LaterError = Closed(
  {
    status: Type.Literal('error'),
    code: Type.String(),
    message: Type.String(),
    hint: Type.String(),
    fields: Type.Optional(
      Texts('The request fields that are missing or invalid, such as `params.key`, if known.'),
    ),
    files: Type.Optional(Texts('The files and folders at fault, as in the list of problems.')),
  },
  'The error.',
);
