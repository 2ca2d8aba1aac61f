import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { ModelsAnswer, RemoveModelAnswer, RemoveModelQuery } from '../../contract/models.ts';
import { type ModelSource, modelPlaces, modelSources } from '../../contract/values.ts';
import type { ListedModel } from '../../models/model-library.ts';
import { formatRepoId, parseRepoId } from '../../models/repo-id.ts';
import type { RepoNeed } from '../../scripts/model-needs.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { invalidField, QueryFields } from '../query-fields.ts';
import { repoIdInvalid } from '../repo-id-invalid.ts';

export function addModelRoutes(app: FastifyInstance, { models, modelNeeds }: AppDependencies): void {
  const listSchema = {
    summary: 'List models',
    description:
      'Lists every model on this machine, complete or not, and the missing models that scripts need.',
    response: { 200: ModelsAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/models', { schema: listSchema }, async () => {
    const listed = await models.list();
    const found = new Set(listed.map(({ repo }) => formatRepoId(repo)));
    const missing = modelNeeds
      .all()
      .filter(({ repoId }) => parseRepoId(repoId) !== null && !found.has(repoId));
    const items = [
      ...listed.map((model) => modelItem(model, modelNeeds.of(formatRepoId(model.repo)))),
      ...missing.map(missingItem),
    ];
    // The sort is stable: copies of one repo stay in search order.
    return {
      items: items.sort((a, b) => Number(a.repo_id > b.repo_id) - Number(a.repo_id < b.repo_id)),
      next: null,
    };
  });

  const removeSchema = {
    summary: 'Remove a model',
    description:
      'Removes a model from one place and returns the freed bytes. Hob removes nothing from the folders of the setting `model_folders`, unless the folder is also one of the standard caches.',
    querystring: RemoveModelQuery,
    response: { 200: RemoveModelAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.delete<{ Params: { owner: string; name: string } }>(
    '/api/models/:owner/:name',
    { schema: removeSchema },
    async (request) => {
      const { owner, name } = request.params;
      const repo = parseRepoId(`${owner}/${name}`);
      if (repo === null) throw repoIdInvalid();
      const query = new QueryFields(request.query, Object.keys(RemoveModelQuery.properties));
      const isDryRun = readBoolean(query, 'dry_run');
      const removal = await models.remove(repo, { kind: readPlace(query), isDryRun });
      const language = languageOf(request, 'en');
      const id = formatRepoId(repo);
      const message = isDryRun
        ? { en: `The model ${id} would be removed`, zh: `将删除模型 ${id}` }
        : { en: `The model ${id} was removed`, zh: `已删除模型 ${id}` };
      return {
        status: 'success',
        message: message[language],
        folder: removal.folder,
        freed_bytes: removal.freedBytes,
      };
    },
  );
}

function modelItem(model: ListedModel, need: RepoNeed | null) {
  return {
    repo_id: formatRepoId(model.repo),
    source: sourceOf(model, need),
    place: model.place,
    folder: model.folder,
    revision: model.revision,
    size_bytes: model.sizeBytes,
    state: model.state,
    is_used: model.isUsed,
    is_removable: model.isRemovable,
    needed_by: neededBy(need),
  };
}

/** A cache belongs to one hub. For other places, the source is known only if a script declares it. */
function sourceOf({ place }: ListedModel, need: RepoNeed | null): ModelSource | null {
  return modelSources.find((source) => source === place) ?? need?.source ?? null;
}

function missingItem(need: RepoNeed) {
  return {
    repo_id: need.repoId,
    source: need.source,
    place: null,
    folder: null,
    revision: null,
    size_bytes: 0,
    state: 'missing',
    is_used: false,
    is_removable: false,
    needed_by: neededBy(need),
  };
}

function neededBy(need: RepoNeed | null): { script_id: string; script_name: string }[] {
  return (need?.scripts ?? []).map(({ id, name }) => ({ script_id: id, script_name: name }));
}

function readPlace(query: QueryFields) {
  const text = query.text('place');
  const place = modelPlaces.find((known) => known === text) ?? null;
  const list = modelPlaces.join(', ');
  if (text !== null && place === null) throw invalidField('place', `one of ${list}`, ` ${list} 之一`);
  return place;
}

function readBoolean(query: QueryFields, name: string): boolean {
  const text = query.text(name);
  // Refuse other spellings: a misspelt dry run must never remove the model.
  if (text !== null && text !== 'true' && text !== 'false')
    throw invalidField(name, 'true or false', ' true 或 false');
  return text === 'true';
}
