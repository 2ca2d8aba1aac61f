import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { LaterError } from '../../contract/common.ts';
import { ScriptAnswer, ScriptsAnswer } from '../../contract/scripts.ts';
import { parseRepoId } from '../../models/repo-id.ts';
import { ManifestSchema } from '../../scripts/manifest-schema.ts';
import type { Script } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';

export function addScriptRoutes(app: FastifyInstance, { catalogue, models }: AppDependencies): void {
  const listSchema = {
    summary: 'List scripts',
    description: 'Lists all scripts, and the problems of those that could not be loaded.',
    response: { 200: ScriptsAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/scripts', { schema: listSchema }, async (request) => {
    const language = languageOf(request, 'en');
    const problems = await catalogue.problems();
    return {
      scripts: catalogue.scripts().map(scriptAnswer),
      problems: problems.map((problem) => ({
        severity: problem.severity,
        file: problem.file,
        line: problem.line,
        message: problem.message[language],
        advice: problem.advice[language],
      })),
    };
  });

  const manifestSchema = {
    summary: 'Get the JSON Schema of the manifest',
    description: 'Editors use it to complete and check script.toml.',
    response: { 200: Type.Unknown({ description: 'A JSON Schema.' }), '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/script.schema.json', { schema: manifestSchema }, async () => ManifestSchema);

  const showSchema = {
    summary: 'Get a script',
    response: { 200: ScriptAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get<{ Params: { id: string } }>('/api/scripts/:id', { schema: showSchema }, async (request) => {
    const { id } = request.params;
    const script = catalogue.lookUp(id);
    if (script === null) {
      throw new AppError(
        'script-unknown',
        { en: `No such script: ${id}`, zh: `脚本不存在: ${id}` },
        {
          hint: {
            en: 'GET /api/scripts lists all scripts and problems.',
            zh: 'GET /api/scripts 列出所有脚本及问题。',
          },
        },
      );
    }
    // Only for a single script: the list would have to check every model.
    const states = await Promise.all(script.models.map(({ repoId }) => stateOf(repoId)));
    const { models: declared, ...rest } = scriptAnswer(script);
    const withStates = declared.map((model, index) => ({ ...model, state: states[index] ?? 'missing' }));
    return { ...rest, models: withStates };
  });

  async function stateOf(repoId: string) {
    const repo = parseRepoId(repoId);
    return repo === null ? 'missing' : models.stateOf(repo);
  }
}

function scriptAnswer(script: Script) {
  const { runtime, input } = script;
  return {
    id: script.id,
    name: script.name,
    version: script.version,
    desc: script.description,
    icon: script.icon,
    folder: script.folder,
    manifest: script.manifestPath,
    language: runtime.language,
    language_version: runtime.languageVersion,
    entry: runtime.entry,
    terminal: runtime.terminal,
    timeout: runtime.timeoutMs === null ? null : runtime.timeoutMs / 1000,
    concurrency: runtime.concurrency,
    lock: runtime.lock,
    require_models: runtime.requireModels,
    node: script.isNode,
    input: input === null ? null : { ...input, exts: [...input.exts] },
    params: script.params.map((param) => ({
      name: param.name,
      label: param.label,
      type: param.type,
      // The default of a secret param is itself a secret, so it is omitted.
      ...(param.default !== undefined && !param.secret && { default: param.default }),
      required: param.required,
      choices: [...param.choices],
      choice_labels: { ...param.choiceLabels },
      secret: param.secret,
      when: param.when as Json,
      description: param.description,
    })),
    outputs: script.outputs.map((output) => ({ ...output })),
    models: script.models.map(({ source, repoId, files }) => ({
      source,
      repo_id: repoId,
      files: [...files],
    })),
    dependencies: script.dependencies.map((dependency) => ({ ...dependency })),
  };
}
