import type { Problem } from '../../scripts/script.ts';
import { Findings } from './findings.ts';
import { findNodeRecipe } from './node-recipe.ts';
import { findPythonRecipe } from './python-recipe.ts';
import type { Recipe, RecipeOwner } from './recipe.ts';

export interface Examination {
  /** Null if nothing is to be installed, or if there are errors. */
  readonly recipe: Recipe | null;
  readonly problems: readonly Problem[];
  /** All paths whose change may change the result. */
  readonly looked: readonly string[];
}

/** All problems and notes about the requirements of a script. */
export async function checkRecipe(script: RecipeOwner): Promise<Problem[]> {
  return [...(await examineRecipe(script)).problems];
}

/** Reads the requirements in the folder of a script. */
export async function examineRecipe(script: RecipeOwner): Promise<Examination> {
  const findings = new Findings(script.folder);
  const recipe = await findRecipe(script, findings);
  const isBroken = findings.problems.some(({ severity }) => severity === 'error');
  return { recipe: isBroken ? null : recipe, problems: findings.problems, looked: [...findings.looked] };
}

async function findRecipe(script: RecipeOwner, findings: Findings): Promise<Recipe | null> {
  switch (script.runtime.language) {
    case 'python':
      return findPythonRecipe(script, findings);
    case 'node.js':
    case 'typescript':
      return findNodeRecipe(script, findings);
    default:
      return null;
  }
}
