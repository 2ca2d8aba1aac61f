import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { RefusedError, type ServiceClient } from '../service-client.ts';
import { UserError } from '../user-error.ts';

/** Finds the folder of a model. The error for a missing model names the download command. */
export async function findModel(client: ServiceClient, repoId: string): Promise<JsonObject> {
  const query = new URLSearchParams({ repo_id: repoId });
  const { data } = await client.get(`/api/model/path?${query}`).catch((error: unknown) => {
    const isMissing = error instanceof RefusedError && error.code === 'model-not-downloaded';
    if (!isMissing) throw error;
    const advice = tr(`To download it: hob model pull ${repoId}`, `下载它：hob model pull ${repoId}`);
    throw new UserError(`${error.message}\n${advice}`);
  });
  return isJsonObject(data) ? data : {};
}
