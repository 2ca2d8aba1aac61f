import type { Problem } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import { examineRecipe } from './examine-recipe.ts';
import type { Recipe, RecipeOwner } from './recipe.ts';

/** What a script is to be run with; null when it brings nothing to install. Throws when that cannot be understood. */
export async function readRecipe(script: RecipeOwner): Promise<Recipe | null> {
  const { recipe, problems } = await examineRecipe(script);
  const error = problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new AppError('script-unusable', error.message);
  return recipe;
}

/** Everything that is wrong with what a script says it needs, or that its author should know. */
export async function checkRecipe(script: RecipeOwner): Promise<Problem[]> {
  return [...(await examineRecipe(script)).problems];
}
