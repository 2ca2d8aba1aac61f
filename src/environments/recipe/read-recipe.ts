import type { Problem } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import { examineRecipe } from './examine-recipe.ts';
import type { Recipe, RecipeOwner } from './recipe.ts';

/** Reads the recipe of a script; null if nothing is to be installed. Throws if it is not valid. */
export async function readRecipe(script: RecipeOwner): Promise<Recipe | null> {
  const { recipe, problems } = await examineRecipe(script);
  const error = problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw new AppError('script-unusable', error.message);
  return recipe;
}

/** All problems and notes about the requirements of a script. */
export async function checkRecipe(script: RecipeOwner): Promise<Problem[]> {
  return [...(await examineRecipe(script)).problems];
}
