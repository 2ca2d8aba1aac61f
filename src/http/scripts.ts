import type { FastifyInstance } from 'fastify';

import { IconAnswer, ManifestSchemaAnswer, ScriptAnswer, ScriptsAnswer } from '../contract/scripts.ts';

import { parseRepoId } from '../models/repo-id.ts';
import type { Catalogue } from '../scripts/catalogue.ts';
import { ManifestSchema } from '../scripts/manifest-schema.ts';
import { readIcon } from '../scripts/read-icon.ts';
import type { Problem, Script } from '../scripts/script.ts';
import type { Slugs } from '../scripts/slugs.ts';
import { AppError } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';
import type { AppDependencies } from './dependencies.ts';
import { languageOf } from './request.ts';
import { route } from './route.ts';

/** An SVG may contain scripts. Opened directly, it would otherwise run as a page of this service. */
const iconPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function addScriptRoutes(app: FastifyInstance, { catalogue, slugs, models }: AppDependencies): void {
  route(app, 'GET /api/scripts', {
    operationId: 'listScripts',
    tag: 'Scripts',
    summary: 'List scripts',
    description: 'Lists all scripts, and the problems of those that could not be loaded.',
    answer: ScriptsAnswer,
    async handle(request) {
      const language = languageOf(request, 'en');
      const problems = await catalogue.problems();
      await slugs.update();
      return {
        scripts: catalogue.scripts().map((script) => scriptAnswer(script, slugs)),
        problems: problems.map((problem) => problemAnswer(problem, language)),
      };
    },
  });

  route(app, 'GET /api/script.schema.json', {
    operationId: 'getManifestSchema',
    tag: 'Scripts',
    summary: 'Get the JSON Schema of the manifest',
    description: 'Editors use it to complete and check script.toml.',
    answer: ManifestSchemaAnswer,
    handle: async () => ManifestSchema,
  });

  route(app, 'GET /api/scripts/:id', {
    operationId: 'getScript',
    tag: 'Scripts',
    summary: 'Get a script',
    description:
      'Returns the script with this id or slug, as its manifest describes it, and the state of its models.',
    answer: ScriptAnswer,
    async handle(request) {
      const { id } = request.params;
      const script = catalogue.lookUp((await slugs.find(id)) ?? id);
      if (script === null) throw unknownScript(id);
      await slugs.update();
      // Only for a single script: the list would have to check every model.
      const states = await Promise.all(script.models.map(({ repoId }) => stateOf(repoId)));
      const { models: declared, ...rest } = scriptAnswer(script, slugs);
      const withStates = declared.map((model, index) => ({ ...model, state: states[index] ?? 'missing' }));
      return { ...rest, models: withStates };
    },
  });

  route(app, 'GET /api/scripts/:id/icon', {
    operationId: 'getScriptIcon',
    tag: 'Scripts',
    summary: 'Get the icon of a script',
    description:
      'Returns the image that the manifest names. The file must be inside the folder of the script.',
    answer: IconAnswer,
    async handle(request, reply) {
      const { id } = request.params;
      const script = catalogue.find((await slugs.find(id)) ?? id);
      const icon = script === null ? null : await readIcon(script);
      if (icon === null) throw noIcon(id);
      return reply
        .headers({ 'content-type': icon.type, 'content-security-policy': iconPolicy })
        .send(icon.bytes);
    },
  });

  async function stateOf(repoId: string) {
    const repo = parseRepoId(repoId);
    return repo === null ? 'missing' : models.stateOf(repo);
  }
}

function scriptAnswer(script: Script, slugs: Slugs) {
  const { runtime, input } = script;
  const { contextMenu, shortcut } = script.triggers;
  return {
    id: script.id,
    slug: slugs.of(script.id),
    name: script.name,
    version: script.version,
    desc: script.description,
    icon: script.icon,
    tags: [...script.tags],
    folder: script.folder,
    manifest: script.manifestPath,
    language: runtime.language,
    language_version: runtime.languageVersion,
    entry: runtime.entry,
    terminal: runtime.terminal,
    timeout: runtime.timeoutMs === null ? null : runtime.timeoutMs / 1000,
    concurrency: runtime.concurrency,
    lock: runtime.lock,
    retries: retriesAnswer(runtime),
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
    context_menu: contextMenu && { targets: [...contextMenu.targets], filters: [...contextMenu.filters] },
    shortcut: shortcut && { asks_for: shortcut.asksFor, filters: [...shortcut.filters] },
    dependencies: script.dependencies.map((dependency) => ({ ...dependency })),
  };
}

function retriesAnswer({ retries }: Script['runtime']) {
  if (retries === null) return null;
  const { attempts, backoffMs, factor, on } = retries;
  return { attempts, backoff_s: backoffMs / 1000, factor, on: [...on] };
}

export function problemAnswer(problem: Problem, language: Language) {
  const { severity, file, line, message, advice } = problem;
  return { severity, file, line, message: message[language], advice: advice[language] };
}

/** The script with this id if it can run, for operations beside the interface. */
export async function resolveScript(catalogue: Catalogue, id: string, given: string): Promise<Script> {
  try {
    return await catalogue.resolve(id);
  } catch (error) {
    // The text of the interface is Chinese.
    throw error instanceof AppError && error.code === 'script-unknown' ? unknownScript(given) : error;
  }
}

function unknownScript(id: string): AppError {
  return new AppError(
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

function noIcon(id: string): AppError {
  const given = id.slice(0, 100);
  return new AppError(
    'icon-unknown',
    { en: `The script ${given} has no usable icon`, zh: `脚本 ${given} 没有可显示的图标` },
    {
      hint: {
        en: 'An icon must be a png, jpg, gif, webp, svg or ico file of at most 1 MiB in the folder of the script.',
        zh: '图标应为脚本文件夹内的 png、jpg、gif、webp、svg 或 ico 文件，且不超过 1 MiB。',
      },
    },
  );
}
