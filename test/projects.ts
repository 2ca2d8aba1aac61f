import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Which tests run when. `unit` starts no service, and its files share processes. `service` starts real services, few of them in each file.
 * `system` takes long, starts many services, measures times, or needs programs that a machine often lacks.
 */
export type Project = 'unit' | 'service' | 'system';

/** `default` is `npm test`, `all` is `npm run test:all`, and `rest` is `all` without the files that `npm test` ran. */
export type Part = 'default' | 'rest' | 'all';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Test files of the last `npm test` that lacked a program. */
export const runAgainFile = join('.cache', 'tests', 'run-again.json');

/** Files below test/ that start no service. */
export const unitFiles = [
  'test/equivalence/normalise.test.ts',
  'test/http/access-routes.test.ts',
  'test/http/exposition.test.ts',
  'test/http/files.test.ts',
  'test/models/download-routes.test.ts',
  'test/models/downloads-access.test.ts',
  'test/models/downloads-changes.test.ts',
  'test/models/downloads-hostile.test.ts',
  'test/models/downloads-manager.test.ts',
  'test/models/downloads-odd-answers.test.ts',
  'test/models/downloads-tls.test.ts',
  'test/models/downloads.test.ts',
  'test/packages/routes.test.ts',
  'test/runs/untraced-links.test.ts',
];

/** Files and folders (with a slash at the end) of the project `system`. */
export const systemFiles = [
  'test/environments/',
  'test/equivalence/',
  'test/mcp/',
  'test/project/',
  'test/reliability/',
  'test/upgrades/',
  'test/cli/check.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/desktop-commands.test.ts',
  'test/cli/desktop-starts.test.ts',
  'test/cli/doctor.test.ts',
  'test/cli/file-managers.test.ts',
  'test/cli/key-bindings.test.ts',
  'test/cli/mcp-install.test.ts',
  'test/cli/mcp-proxy.test.ts',
  'test/cli/menus.test.ts',
  'test/cli/model-pull.test.ts',
  'test/cli/new-terminal.test.ts',
  'test/cli/new.test.ts',
  'test/cli/package-commands-live.test.ts',
  'test/cli/package.test.ts',
  'test/cli/run-terminal.test.ts',
  'test/cli/screen.test.ts',
  'test/cli/service.test.ts',
  'test/cli/triggers.test.ts',
  'test/cli/types.test.ts',
  'test/client/pages.test.ts',
  'test/client/python-failures.test.ts',
  'test/client/restarts.test.ts',
  'test/console/agents.test.ts',
  'test/console/history-notifications.test.ts',
  'test/console/history.test.ts',
  'test/console/outgoing.test.ts',
  'test/console/pages-models.test.ts',
  'test/console/pages-settings.test.ts',
  'test/console/run.test.ts',
  'test/console/script-packages.test.ts',
  'test/console/script.test.ts',
  'test/console/scripts.test.ts',
  'test/console/terminal.test.ts',
  'test/console/triggers.test.ts',
  'test/executor/exhaustion.test.ts',
  'test/executor/frozen-executor.test.ts',
  'test/executor/started-through-node.test.ts',
  'test/executor/warm-load.test.ts',
  'test/executor/warm.test.ts',
  'test/http/access-browser.test.ts',
  'test/http/clients.test.ts',
  'test/http/connections.test.ts',
  'test/http/token.test.ts',
  'test/http/typed-client.test.ts',
  'test/models/downloads-resume.test.ts',
  'test/models/models.test.ts',
  'test/models/pull.test.ts',
  'test/notifications/bubbles-burst.test.ts',
  'test/notifications/bubbles-buttons.test.ts',
  'test/notifications/bubbles-daemons.test.ts',
  'test/notifications/bubbles.test.ts',
  'test/notifications/desktop-failures.test.ts',
  'test/notifications/outgoing.test.ts',
  'test/packages/hostile-installs.test.ts',
  'test/packages/hostile-packages.test.ts',
  'test/packages/killed.test.ts',
  'test/packages/planted-programs.test.ts',
  'test/runs/events.test.ts',
  'test/runs/history-size.test.ts',
  'test/runs/history.test.ts',
  'test/runs/idempotency.test.ts',
  'test/runs/large-output.test.ts',
  'test/runs/output-follow.test.ts',
  'test/runs/output.test.ts',
  'test/runs/parameter-files.test.ts',
  'test/runs/renewed-runs.test.ts',
  'test/runs/rerun.test.ts',
  'test/runs/retries.test.ts',
  'test/runs/run-folders.test.ts',
  'test/runs/run-races.test.ts',
  'test/runs/run-wait.test.ts',
  'test/scripts/many-scripts.test.ts',
  'test/scripts/runtimes.test.ts',
  'test/sdk/python-types.test.ts',
  'test/sdk/shell.test.ts',
  'test/service/long-home.test.ts',
  'test/service/private-files.test.ts',
  'test/service/service.test.ts',
  'test/terminals/terminal-windows-rules.test.ts',
  'test/terminals/terminal-windows.test.ts',
  'test/terminals/terminals.test.ts',
  'test/terminals/windows-without-screen.test.ts',
  'test/triggers/bad-input.test.ts',
  'test/triggers/folders.test.ts',
  'test/triggers/schedules.test.ts',
  'test/triggers/three-years.test.ts',
  'test/triggers/webhooks-browser.test.ts',
  'test/triggers/webhooks-listener.test.ts',
  'test/triggers/webhooks-slow.test.ts',
];

/**
 * Files of `system` that are part of `npm test`: at least one for each part of Hob that no file of `service` uses, and the console in a
 * browser.
 */
export const defaultSystemFiles = [
  'test/cli/package-commands-live.test.ts',
  'test/console/scripts.test.ts',
  'test/mcp/stop.test.ts',
  'test/upgrades/transfer.test.ts',
];

/** The part that tools/test.mjs chose. */
export function chosenPart(): Part {
  const part = process.env.TEST_PART ?? 'all';
  if (part === 'default' || part === 'rest' || part === 'all') return part;
  throw new Error(`TEST_PART must be default, rest or all: ${part}`);
}

/** The paths of a project's files, relative to the root of the repository. */
export function filesOf(project: Project, part: Part): string[] {
  return testFiles().filter((path) => projectOf(path) === project && isIn(part, path));
}

export function testFiles(): string[] {
  return ['bench', 'src', 'test', 'tools', 'web/src']
    .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.test\.(?:ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
}

export function projectOf(path: string): Project {
  if (!path.startsWith('test/') || unitFiles.includes(path)) return 'unit';
  return systemFiles.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))
    ? 'system'
    : 'service';
}

/** Whether a file is part of `npm test`. */
export function isDefault(path: string): boolean {
  return projectOf(path) !== 'system' || defaultSystemFiles.includes(path);
}

function isIn(part: Part, path: string): boolean {
  switch (part) {
    case 'all':
      return true;
    case 'default':
      return isDefault(path);
    case 'rest':
      return !isDefault(path) || runAgain().includes(path);
  }
}

function runAgain(): string[] {
  const path = join(root, runAgainFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}
