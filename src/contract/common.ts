import Type from 'typebox';

/** JSON in a request or an answer that is not described by a schema of its own. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Bodies by content type. */
export interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Type.TSchema }>>;
}

/** An answer with headers, or with a content type other than JSON. */
export interface ContentAnswer extends Content {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Type.TSchema>>;
}

/** A request body that works. The tests send it to a real service. */
export interface BodyExample {
  readonly summary: string;
  readonly body: { [key: string]: Json };
}

/** Gives a schema its name in the OpenAPI document and in clients that are generated from it. */
export const Named = <Schema extends Type.TSchema>(name: string, schema: Schema) =>
  Object.assign(schema, { $id: name });

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

export const ApiError = Named(
  'ApiError',
  Closed(
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
  ),
);
