/**
 * Allowed imports. Each rule has a reason and a violation that must be detected: the check plants all of them in a copy of the source and
 * fails if one is not detected.
 */
const tests = '\\.test\\.ts$';

function room(name, allowed, why) {
  const common = name === 'shared' || name === 'contract' ? [] : ['contract', 'shared'];
  const rooms = [name, ...allowed, ...common].map((path) =>
    path.endsWith('.ts') ? path.replaceAll('.', '\\.') : `${path}/`,
  );
  return {
    name: `${name}-imports`,
    comment: why,
    from: { path: `^src/${name}/`, pathNot: [tests] },
    to: { path: '^src/', pathNot: [`^src/(?:${rooms.join('|')})`] },
    plant: {
      file: `src/${name}/planted.ts`,
      imports: name === 'http' ? '../storage/database.ts' : '../service/compose.ts',
    },
  };
}

/** Commands that work without the service, and the parts that they share. */
const offlineCommands = '^src/cli/(?:offline/|commands/(?:check|pack|doctor|export|import)\\.ts$)';

const processStarters = [
  'src/executor/start-through-node\\.ts',
  'src/terminals/window/spawn-in-window\\.ts',
  'src/execution/executor-set\\.ts',
  'src/shared/run-command\\.ts',
  'src/environments/builder/run-tool\\.ts',
  'src/shared/start-detached\\.ts',
];

export const importRules = [
  room('shared', [], 'All rooms use the helpers, so the helpers must not depend on any room.'),
  room(
    'contract',
    [],
    'The contract describes all that crosses a process or the wire. Every room may use it, so it depends on none.',
  ),
  room('settings', [], 'Settings are read before any other part exists.'),
  room('scripts', [], 'The definition of a script does not depend on how it is run.'),
  room(
    'environments',
    ['scripts'],
    'An environment depends only on the folder of the script and on the machine. Other rooms start the build as a run.',
  ),
  room(
    'packages',
    ['environments/recipe', 'scripts'],
    'A package is the folder of a script. The room states the interfaces that it needs to run the script and to build its environment.',
  ),
  room(
    'doctor',
    ['environments', 'notifications', 'packages', 'scripts', 'secrets', 'settings', 'terminals', 'triggers'],
    'The doctor checks the machine with the code of the rooms that use it, and works without the service.',
  ),
  room(
    'transfer',
    [
      'execution/parameter-files.ts',
      'packages',
      'scripts',
      'settings',
      'storage/database.ts',
      'storage/home-lock.ts',
      'storage/run-transfer.ts',
      'storage/sqlite-run-store.ts',
      'storage/sqlite-agent-choice-store.ts',
      'storage/sqlite-slug-store.ts',
      'triggers/trigger-file.ts',
    ],
    'An export reads the home and an import adds to it, both without the service.',
  ),
  room('files', [], 'Listing a folder does not depend on the caller.'),
  room('secrets', [], 'Storing a secret does not depend on who uses it.'),
  room(
    'triggers',
    ['runs', 'scripts', 'secrets'],
    'A trigger finds its script, starts a run and reads a secret. It does not depend on how its rules are edited or shown.',
  ),
  room(
    'mcp',
    ['runs', 'scripts'],
    'An agent finds a script and starts a run. It does not depend on how the user enables it.',
  ),
  {
    name: 'client-imports',
    comment:
      'The client is a module for other programs, without dependencies. Besides the contract, it knows only how to find the home, its service and its token.',
    from: { path: '^src/client/', pathNot: [tests] },
    to: {
      path: '^src/',
      pathNot: [
        '^src/(?:client|contract)/',
        '^src/settings/(?:home|run-variables)\\.ts$',
        '^src/shared/(?:service-file|token-file)\\.ts$',
      ],
    },
    plant: { file: 'src/client/planted.ts', imports: '../cli/language.ts' },
  },
  {
    name: 'client-in-browsers',
    comment: 'Browsers use the client, too: only the files that find the service on this machine need Node.',
    from: { path: '^src/client/', pathNot: ['^src/client/(?:hob|locate-service)\\.ts$', tests] },
    to: { path: '^(?:node:)?(?:fs|os|path|crypto|http|process)(?:/|$)|^src/(?:settings|shared)/' },
    plant: { file: 'src/client/planted.ts', imports: 'node:fs' },
  },
  room('models', [], 'Finding a model needs no run, no request and no database.'),
  room('notifications', [], 'Showing a notification does not depend on the caller.'),
  room(
    'terminals',
    [
      'execution/messages.ts',
      'execution/message-lines.ts',
      'execution/socket-path.ts',
      'execution/window-messages.ts',
    ],
    'A window knows only the messages of its executor, and nothing about runs or requests.',
  ),
  room(
    'metrics',
    ['runs/run-record.ts'],
    'Metrics receive events and read numbers; counting must not change what is counted.',
  ),
  room(
    'execution',
    [],
    'The messages are the contract between two processes, and must not depend on either of them.',
  ),
  room(
    'executor',
    [
      'execution/messages.ts',
      'execution/message-lines.ts',
      'execution/parameter-files.ts',
      'execution/ring-state.ts',
      'execution/socket-path.ts',
      'execution/window-messages.ts',
    ],
    'The executor starts fast and stays small: it knows the messages, and nothing about the service.',
  ),
  room(
    'runs',
    ['scripts', 'execution'],
    'Runs state the interfaces that they need, and do not know the implementations.',
  ),
  room(
    'storage',
    [
      'runs/run-record.ts',
      'runs/run-store.ts',
      'runs/history/history-store.ts',
      'runs/history/retention-store.ts',
      'runs/history/run-removal.ts',
      'runs/event-store.ts',
      'runs/keys/key-store.ts',
      'notifications/notification-store.ts',
      'scripts/slug-store.ts',
      'triggers/trigger-store.ts',
      'mcp/choices.ts',
    ],
    'Storage implements the interfaces that runs, notifications, scripts and other rooms state, and contains no rules about them.',
  ),
  room(
    'http',
    [
      'runs',
      'scripts',
      'packages',
      'environments',
      'files',
      'models',
      'notifications',
      'terminals',
      'metrics',
      'mcp',
      'secrets',
      'triggers',
      'mcp',
    ],
    'Routes parse, call and answer; they do not know how data is stored.',
  ),
  {
    name: 'cli-imports',
    comment:
      'The command calls the service with the client of Hob. Besides, it knows only the home, the calling run, the login service, the desktop and the language of its user, the languages of scripts and the meaning of cron expressions. A click on a menu entry has no terminal, so its command shows a notification itself.',
    from: { path: '^src/cli/', pathNot: [tests, '^src/cli/commands/serve\\.ts$', offlineCommands] },
    to: {
      path: '^src/',
      pathNot: [
        '^src/(?:cli|client|contract|shared)/',
        '^src/settings/(?:(?:prepare-)?home|run-variables|login-service|desktop-session|user-language)\\.ts$',
        '^src/scripts/languages\\.ts$',
        '^src/triggers/schedule/',
        '^src/notifications/desktop/open-desktop\\.ts$',
      ],
    },
    plant: { file: 'src/cli/planted.ts', imports: '../service/compose.ts' },
  },
  {
    name: 'schemas-as-types',
    comment:
      'The command and the console use the types of the schemas, which are erased at build time. Loading the schemas would take longer than most commands.',
    from: { path: '^(?:src/cli|src/client|web/src)/', pathNot: [tests] },
    to: {
      path: '^src/contract/',
      pathNot: [
        '^src/contract/(?:endings|event-frames|firings|outcome-counts|quantities|references|types|values)\\.ts$',
      ],
      dependencyTypesNot: ['type-only'],
    },
    plant: { file: 'src/cli/planted.ts', imports: '../contract/runs.ts' },
  },
  {
    name: 'serve-imports',
    comment:
      '`hob serve` is the only command that starts the service in its own process, and does nothing else.',
    from: { path: '^src/cli/commands/serve\\.ts$' },
    to: { path: '^src/', pathNot: ['^src/(?:cli|contract|shared)/', '^src/main\\.ts$'] },
    plant: { file: 'src/cli/commands/serve.ts', imports: '../../storage/database.ts' },
  },
  {
    name: 'offline-imports',
    comment:
      '`hob check`, `hob pack`, `hob doctor`, `hob export` and `hob import` must work without the service.',
    from: { path: offlineCommands, pathNot: [tests] },
    to: {
      path: '^src/',
      pathNot: ['^src/(?:cli|contract|shared|settings|scripts|packages|environments|doctor|transfer)/'],
    },
    plant: { file: 'src/cli/commands/check.ts', imports: '../../service/compose.ts' },
  },
  {
    name: 'builder-is-apart',
    comment:
      'The program that builds environments is a run and may outlive the service, so it must not depend on the service.',
    from: { path: '^src/environments/builder/', pathNot: [tests] },
    to: { path: '^src/', pathNot: ['^src/(?:environments/builder|contract|shared)/'] },
    plant: { file: 'src/environments/builder/planted.ts', imports: '../../scripts/script.ts' },
  },
  {
    name: 'executor-is-light',
    comment: 'The executor starts fast and stays small: its only package is the one that makes system calls.',
    from: { path: '^src/executor/', pathNot: [tests] },
    to: { path: '(?:^|/)node_modules/', pathNot: ['node_modules/koffi/'], reachable: true },
    plant: { file: 'src/executor/planted.ts', imports: '../shared/log.ts' },
  },
  {
    name: 'sqlite-in-storage',
    comment: 'Only storage knows SQLite, so that it can be replaced or moved in one place.',
    from: { path: '^src/', pathNot: ['^src/storage/', tests] },
    to: { path: 'node_modules/@photostructure/sqlite' },
    plant: { file: 'src/runs/planted.ts', imports: '@photostructure/sqlite' },
  },
  {
    name: 'fastify-in-http',
    comment: 'Only http knows the HTTP framework; the core returns errors and outcomes.',
    from: { path: '^src/', pathNot: ['^src/http/', tests] },
    to: { path: 'node_modules/(?:fastify|@fastify)' },
    plant: { file: 'src/runs/planted.ts', imports: 'fastify' },
  },
  {
    name: 'prom-client-in-metrics',
    comment: 'Only metrics knows how numbers are stored and written; other rooms only report events.',
    from: { path: '^src/', pathNot: ['^src/metrics/', tests] },
    to: { path: 'node_modules/prom-client' },
    plant: { file: 'src/runs/planted.ts', imports: 'prom-client' },
  },
  {
    name: 'dbus-in-notifications',
    comment:
      'Only the Linux desktop code knows D-Bus: it catches the errors of the library, and loads it only for a notification.',
    from: { path: '^src/', pathNot: ['^src/notifications/desktop/bus-connection\\.ts$', tests] },
    to: { path: 'node_modules/dbus-native' },
    plant: { file: 'src/runs/planted.ts', imports: 'dbus-native' },
  },
  {
    name: 'http-behind-access-rules',
    comment:
      'Only src/http answers HTTP requests, so that access control cannot be bypassed. It passes the requests of agents on to the protocol library, which src/mcp configures. The other server is the listener for webhooks, which strangers may reach: it has no routes, and starts runs only for deliveries with a signature. Three files are only clients. The client of the model hubs follows redirects itself, so that credentials are never sent to another host, and the sender of notifications follows none. The command calls its service with node:http, because loading fetch takes longer than the command.',
    from: {
      path: '^src/',
      pathNot: [
        '^src/http/',
        '^src/mcp/(?:answer-error|endpoint|mcp|sessions)\\.ts$',
        '^src/triggers/webhook/hook-server\\.ts$',
        '^src/models/hubs/http-client\\.ts$',
        '^src/notifications/outgoing/post\\.ts$',
        '^src/cli/node-fetch\\.ts$',
        tests,
      ],
    },
    to: { path: '^(?:node:)?(?:http|https|http2|tls)$' },
    plant: { file: 'src/triggers/webhook/planted.ts', imports: 'node:http' },
  },
  {
    name: 'processes-in-one-place',
    comment:
      'Processes are started only in these files, so that each start can be audited: one for scripts in the executor and one in a window, and one each for warm interpreters, terminal emulators, the executor, helper commands, build tools, and programs that outlive their parent (service, browser, file manager).',
    from: { path: '^src/', pathNot: [...processStarters.map((file) => `^${file}$`), tests] },
    to: { path: '^(?:node:)?child_process$' },
    plant: { file: 'src/executor/planted.ts', imports: 'node:child_process' },
  },
  {
    name: 'threads-in-one-place',
    comment:
      'A thread takes memory and a core, so only these files start threads and limit their number and size.',
    from: {
      path: '^src/',
      pathNot: [
        '^src/shared/start-worker\\.ts$',
        '^src/runs/outcome/(?:read-outcome|outcome-worker)\\.ts$',
        '^src/storage/checkpoint(?:er|-worker)\\.ts$',
        '^src/models/downloads/hashing/hash(?:ing|-worker)\\.ts$',
        '^src/scripts/pinyin(?:-worker)?\\.ts$',
        tests,
      ],
    },
    to: { path: '^(?:node:)?worker_threads$' },
    plant: { file: 'src/runs/planted.ts', imports: 'node:worker_threads' },
  },
  {
    name: 'outcome-worker-is-light',
    comment: 'The worker is loaded again for every large outcome, so it must not import packages.',
    from: { path: '^src/runs/outcome/outcome-worker\\.ts$' },
    to: { path: '(?:^|/)node_modules/', reachable: true },
    plant: { file: 'src/runs/outcome/outcome-worker.ts', imports: '../../shared/log.ts' },
  },
  {
    name: 'console-knows-the-wire',
    comment:
      'The console is a client like any other: it imports only the client, except for the file that needs Node, and the contract: types, which are erased at build time, and plain data. It imports no code of the service.',
    from: { path: '^web/src/' },
    to: { path: '^src/', pathNot: ['^src/contract/', '^src/client/(?!hob\\.ts$)'] },
    plant: { file: 'web/src/parts/planted.ts', imports: '../../../src/shared/errors.ts' },
  },
  {
    name: 'wire-in-one-place',
    comment: 'Only one folder of the console maps the types of the service, and uses its client.',
    from: { path: '^web/src/', pathNot: ['^web/src/api/'] },
    to: { path: '^src/' },
    plant: { file: 'web/src/parts/planted.ts', imports: '../../../src/contract/runs.ts' },
  },
  {
    name: 'service-knows-no-console',
    comment: 'The service sends the built files of the console, and imports none of them.',
    from: { path: '^src/' },
    to: { path: '^web/' },
    plant: { file: 'src/http/planted.ts', imports: '../../web/src/api/wire.ts' },
  },
  {
    name: 'parts-know-no-page',
    comment: 'Parts that several pages share must not depend on a page.',
    from: { path: '^web/src/(?:api|language|parts|theme)/' },
    to: { path: '^web/src/', pathNot: ['^web/src/(?:api|language|parts|theme)/'] },
    plant: { file: 'web/src/parts/planted.ts', imports: '../runs/some-run.ts' },
  },
  {
    name: 'terminal-when-needed',
    comment:
      'The terminal emulator is larger than the rest of a page, so it is loaded only with the first terminal.',
    from: { path: '^web/src/', pathNot: ['^web/src/terminal/'] },
    to: { path: 'node_modules/@xterm/' },
    plant: { file: 'web/src/run/planted.ts', imports: '@xterm/xterm' },
  },
  {
    name: 'no-circles',
    comment: 'Files that import each other cannot be understood separately.',
    from: { path: '^(?:src|web)/' },
    to: { circular: true },
    plant: {
      file: 'src/shared/planted.ts',
      imports: './planted-too.ts',
      and: ['src/shared/planted-too.ts', './planted.ts'],
    },
  },
];

const source = /^src\/.*(?<!\.test)\.ts$/;

export const textRules = [
  {
    name: 'environment-in-settings',
    comment:
      'Only settings reads the environment, so that every setting is read, checked and documented in one place. Exceptions: the program in a window, whose emulator describes itself in variables, and the program that builds environments, which passes its variables to its tools.',
    files: source,
    pattern: /\bprocess\.env\b/,
    allowed: /^src\/(?:settings\/|terminals\/window\/main\.ts$|environments\/builder\/main\.ts$)/,
    plant: { file: 'src/http/planted.ts', text: 'export const plantedEnvironment = process.env;\n' },
  },
  {
    name: 'exit-in-entries',
    comment: 'Only entry files end the process: elsewhere this would interrupt unrelated work.',
    files: source,
    pattern: /\bprocess\.exit\b/,
    allowed: /^src\/(?:cli|executor|terminals\/(?:page|window))\/main\.ts$/,
    plant: { file: 'src/http/planted.ts', text: 'export const plantedExit = process.exit;\n' },
  },
  {
    name: 'bench-is-apart',
    comment:
      'Internals change and the benchmarks compare releases, so they use only HTTP, the command and a seeded home. The same holds for the screenshots. The text is searched, because a path may also be in a URL.',
    files: /^(?:bench\/.*|tools\/screenshots(?:\/.*)?)\.mjs$/,
    pattern: /['"`](?:\.\.?\/)+(?:src|build|dist)\//,
    plant: { file: 'bench/support/planted.mjs', text: "import '../../build/main.js';\n" },
  },
];
