import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { RuntimesAnswer, SettingsAnswer } from '../../contract/settings.ts';
import { interpreterSpecs } from '../../scripts/runtimes/interpreters.ts';
import type { SurveyedRuntime } from '../../scripts/runtimes/survey-runtimes.ts';
import type { Language } from '../../shared/text.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { checkQuery } from '../query-fields.ts';

/** The settings of the service, and the interpreters on its machine. */
export function addSettingsRoutes(app: FastifyInstance, { settings, runtimes }: AppDependencies): void {
  const errors = { '4xx': LaterError, '5xx': LaterError };
  const settingsSchema = {
    summary: 'List settings',
    description:
      'Lists the value, default and source of every setting. The service reads its settings when it starts. Secrets are not included.',
    response: { 200: SettingsAnswer, ...errors },
  };
  app.get('/api/settings', { schema: settingsSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    const language = languageOf(request, 'en');
    const { home, file, items } = settings;
    return {
      home,
      file,
      ...settings.reached(),
      items: items.map((item) => ({
        name: item.name,
        value: item.value,
        default: item.default,
        source: item.origin?.kind ?? 'default',
        set_by: item.origin?.name ?? null,
        description: item.meaning[language],
      })),
      next: null,
    };
  });

  const runtimesSchema = {
    summary: 'List runtimes',
    description:
      'Lists the interpreters that run scripts, installed or missing, and the scripts that need them.',
    response: { 200: RuntimesAnswer, ...errors },
  };
  app.get('/api/runtimes', { schema: runtimesSchema }, async (request) => {
    checkQuery(request.query, { properties: {} });
    const language = languageOf(request, 'en');
    return { items: (await runtimes.survey()).map((each) => runtimeItem(each, language)), next: null };
  });
}

function runtimeItem({ language: name, search, users }: SurveyedRuntime, language: Language) {
  const found = search.kind === 'found' ? search.interpreter : null;
  return {
    language: name,
    // The probe of sh prints a placeholder instead of a version.
    version: name === 'sh' ? null : (found?.version ?? null),
    path: found?.path ?? null,
    install: found === null ? interpreterSpecs[name].install[language] : null,
    needed_by: users.map((script) => ({ script_id: script.id, script_name: script.name })),
  };
}
