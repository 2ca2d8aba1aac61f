import Type from 'typebox';
import { Nullable } from './common.ts';
import { modelPlaces, modelSources } from './values.ts';

export const ModelState = Type.Enum(['complete', 'partial', 'missing']);

const ModelItem = Type.Object(
  {
    repo_id: Type.String(),
    source: Nullable(Type.Enum(modelSources)),
    place: Nullable(Type.Enum(modelPlaces)),
    folder: Nullable(Type.String()),
    revision: Nullable(Type.String()),
    size_bytes: Type.Integer({ description: 'Size on disk of all its files.' }),
    state: ModelState,
    is_used: Type.Boolean({ description: 'Whether GET /api/model/path returns this folder.' }),
    is_removable: Type.Boolean(),
    needed_by: Type.Array(
      Type.Object({ script_id: Type.String(), script_name: Type.String() }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);

export const ModelsAnswer = Type.Object(
  { items: Type.Array(ModelItem), next: Type.Null() },
  {
    additionalProperties: false,
    description: 'The models on this machine, and the missing models that scripts need.',
  },
);

export const RemoveModelQuery = Type.Object({
  place: Type.Optional(
    Type.Enum(modelPlaces, {
      description: 'The place to remove the model from. Absent: the first place that has it.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'true: only report how much would be freed.' }),
  ),
});

export const RemoveModelAnswer = Type.Object(
  {
    status: Type.Literal('success'),
    message: Type.String(),
    folder: Type.String(),
    freed_bytes: Type.Integer(),
  },
  { additionalProperties: false, description: 'The model was removed, or would be removed.' },
);
