import { readFile } from 'node:fs/promises';

import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

const Text = Type.String({ minLength: 1 });
const Texts = Type.Array(Type.String());
const OptionalText = Type.Union([Type.String(), Type.Null()]);

/** The environment to build, as the `params` of the builder. */
const BuildOrderSchema = Type.Object({
  kind: Type.Union([Type.Literal('python'), Type.Literal('node')]),
  key: Text,
  /** The folder of the environment, named after its key. */
  environment: Text,
  script_name: Text,
  script_folder: Text,
  interpreter: Text,
  interpreter_version: Text,
  /** For messages. */
  requirements: Texts,
  /** Python: the requirements file. Node.js: the package.json for the environment. */
  asked: Text,
  uv_lock: OptionalText,
  lock_file: OptionalText,
  /** Paths to copy, relative to the folder of the script. */
  copies: Texts,
  /** Fingerprints and paths of the input files, alternating. If one changes, the key is no longer valid. */
  inputs: Texts,
});
export type BuildOrder = Static<typeof BuildOrderSchema>;

const ParameterFileSchema = Type.Object({
  environment: Type.Object({ output_json: Text }),
  params: BuildOrderSchema,
});

export async function readOrder(
  parameterFile: string,
): Promise<{ readonly order: BuildOrder; readonly outputJson: string }> {
  const file: unknown = JSON.parse(await readFile(parameterFile, 'utf8'));
  if (!Value.Check(ParameterFileSchema, file)) throw new Error(`${parameterFile} is not a parameter file`);
  return { order: file.params, outputJson: file.environment.output_json };
}
