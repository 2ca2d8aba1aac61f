/**
 * Who may import whom. Each rule has the sentence that says why, and a violation that must be caught: the check plants every
 * one of them in a copy of the source and fails when one goes unnoticed.
 */
const tests = '\\.test\\.ts$';

function room(name, allowed, why) {
  const rooms = [name, ...allowed].map((path) =>
    path.endsWith('.ts') ? path.replaceAll('.', '\\.') : `${path}/`,
  );
  return {
    name: `${name}-imports`,
    comment: why,
    from: { path: `^src/${name}/`, pathNot: [tests] },
    to: { path: '^src/', pathNot: [`^src/(?:${rooms.join('|')})`] },
    plant: {
      file: `src/${name}/planted.ts`,
      imports: name === 'http' ? '../storage/database.ts' : '../compose.ts',
    },
  };
}

const processStarters = [
  'src/executor/spawn-script\\.ts',
  'src/executor/warm/start-host\\.ts',
  'src/executor/launch-terminal\\.ts',
  'src/terminals/window/spawn-in-window\\.ts',
  'src/execution/launch-executor\\.ts',
  'src/shared/run-command\\.ts',
  'src/environments/builder/run-tool\\.ts',
  'src/shared/start-detached\\.ts',
];

export const importRules = [
  room('shared', [], 'Everyone uses the tiny helpers, so they must know nobody.'),
  room('settings', ['shared'], 'Settings are read before anything else exists.'),
  room('scripts', ['shared'], 'What a script is does not depend on who runs it.'),
  room(
    'environments',
    ['scripts', 'shared'],
    'What a script is made to run with follows from its folder and the machine; that a build is a run is for others to arrange.',
  ),
  room(
    'packages',
    ['environments/recipe', 'scripts', 'shared'],
    'A package is a folder of a script; who runs it and what it is run with are asked for as interfaces.',
  ),
  room(
    'doctor',
    ['environments', 'notifications', 'packages', 'scripts', 'settings', 'terminals', 'shared'],
    'It looks at the machine with the eyes of those who use it, and works when the service does not.',
  ),
  room('files', ['shared'], 'What lies in a folder of the machine is the same whoever looks.'),
  room('models', ['shared'], 'Finding a model needs no run, no request and no database.'),
  room('notifications', ['shared'], 'A bubble can be shown whoever asks for it.'),
  room(
    'terminals',
    [
      'execution/messages.ts',
      'execution/message-lines.ts',
      'execution/socket-path.ts',
      'execution/window-messages.ts',
      'shared',
    ],
    'A window knows its executor by the messages alone, and nothing of runs or requests.',
  ),
  room(
    'metrics',
    ['runs/run-record.ts', 'shared'],
    'It is told what happened and asks for numbers; counting must never change what is counted.',
  ),
  room(
    'execution',
    ['shared'],
    'The messages are the contract of two processes; neither end may leak into them.',
  ),
  room(
    'executor',
    [
      'execution/messages.ts',
      'execution/message-lines.ts',
      'execution/remove-parameter-file.ts',
      'execution/ring-state.ts',
      'execution/socket-path.ts',
      'execution/window-messages.ts',
      'shared',
    ],
    'The executor starts fast and stays small: it knows the messages, and nothing of the service.',
  ),
  room(
    'runs',
    ['scripts', 'execution', 'shared'],
    'A run states what it needs as interfaces, and does not know who provides it.',
  ),
  room(
    'storage',
    [
      'runs/run-record.ts',
      'runs/run-store.ts',
      'runs/history/history-store.ts',
      'runs/history/retention-store.ts',
      'runs/history/run-removal.ts',
      'runs/events/event-store.ts',
      'runs/history/durations.ts',
      'runs/keys/key-store.ts',
      'notifications/notification-store.ts',
      'shared',
    ],
    'The database implements what runs and notifications ask for; it decides nothing about them.',
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
      'shared',
    ],
    'Routes parse, call and answer; where things are kept is not their business.',
  ),
  {
    name: 'cli-imports',
    comment:
      'The command speaks HTTP like everybody else; beyond that it must know only where the home is, which run calls it, what starts with the session of its user, and the language of its user.',
    from: { path: '^src/cli/', pathNot: [tests, '^src/cli/commands/serve\\.ts$', '^src/cli/offline/'] },
    to: {
      path: '^src/',
      pathNot: [
        '^src/(?:cli|shared)/',
        '^src/settings/(?:(?:prepare-)?home|run-variables|login-service|user-language)\\.ts$',
      ],
    },
    plant: { file: 'src/cli/planted.ts', imports: '../compose.ts' },
  },
  {
    name: 'serve-imports',
    comment: '`hob serve` is the one command that is the service, and it only starts it.',
    from: { path: '^src/cli/commands/serve\\.ts$' },
    to: { path: '^src/', pathNot: ['^src/(?:cli|shared)/', '^src/main\\.ts$'] },
    plant: { file: 'src/cli/commands/serve.ts', imports: '../../storage/database.ts' },
  },
  {
    name: 'offline-imports',
    comment:
      'What authors check and pack needs no service, and least of all does what finds out why it does not start.',
    from: { path: '^src/cli/offline/', pathNot: [tests] },
    to: {
      path: '^src/',
      pathNot: ['^src/(?:cli|shared|settings|scripts|packages|environments|doctor)/'],
    },
    plant: { file: 'src/cli/offline/planted.ts', imports: '../../compose.ts' },
  },
  {
    name: 'builder-is-apart',
    comment:
      'The program that builds environments is a run like any other and may outlive the service: it knows nothing of it.',
    from: { path: '^src/environments/builder/', pathNot: [tests] },
    to: { path: '^src/', pathNot: ['^src/(?:environments/builder|shared)/'] },
    plant: { file: 'src/environments/builder/planted.ts', imports: '../../scripts/script.ts' },
  },
  {
    name: 'executor-is-light',
    comment: 'The blocking part of a spawn grows with resident memory, so no package may reach the executor.',
    from: { path: '^src/executor/', pathNot: [tests] },
    to: { path: '(?:^|/)node_modules/', reachable: true },
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
    comment: 'Only http knows the HTTP framework; the core speaks in refusals and outcomes.',
    from: { path: '^src/', pathNot: ['^src/http/', tests] },
    to: { path: 'node_modules/(?:fastify|@fastify)' },
    plant: { file: 'src/runs/planted.ts', imports: 'fastify' },
  },
  {
    name: 'prom-client-in-metrics',
    comment:
      'Only metrics knows how numbers are kept and written; whoever has something to count just says so.',
    from: { path: '^src/', pathNot: ['^src/metrics/', tests] },
    to: { path: 'node_modules/prom-client' },
    plant: { file: 'src/runs/planted.ts', imports: 'prom-client' },
  },
  {
    name: 'dbus-in-notifications',
    comment:
      'Only the Linux desktop knows D-Bus: what its library may throw is caught there, and it is loaded when a bubble needs it.',
    from: { path: '^src/', pathNot: ['^src/notifications/desktop/bus-connection\\.ts$', tests] },
    to: { path: 'node_modules/dbus-native' },
    plant: { file: 'src/runs/planted.ts', imports: 'dbus-native' },
  },
  {
    name: 'http-behind-the-door',
    comment:
      'Whatever answers HTTP is in one room, where nothing is answered that did not come by the door; there is no other way in. The two files of models that ask servers elsewhere open nothing: they use the client, which can be made to carry several times what fetch does. So does the file by which the command calls its service: to load fetch takes longer than the command.',
    from: {
      path: '^src/',
      pathNot: [
        '^src/http/',
        '^src/models/hubs/(?:http-client|body-tap)\\.ts$',
        '^src/cli/call-service\\.ts$',
        tests,
      ],
    },
    to: { path: '^(?:node:)?(?:http|https|http2|tls)$' },
    plant: { file: 'src/runs/planted.ts', imports: 'node:http' },
  },
  {
    name: 'processes-in-one-place',
    comment:
      'Scripts are started in one file of the executor, or of the window where they can only be started there, and the interpreters that wait for them in another; emulators, helpers, the tools that build environments and the executor itself in one each, and so is what outlives whoever starts it, the service, the browser and the file manager: all can be audited.',
    from: { path: '^src/', pathNot: [...processStarters.map((file) => `^${file}$`), tests] },
    to: { path: '^(?:node:)?child_process$' },
    plant: { file: 'src/executor/planted.ts', imports: 'node:child_process' },
  },
  {
    name: 'threads-in-one-place',
    comment:
      'A thread takes memory and a core: what starts them keeps their number and their size in bounds.',
    from: {
      path: '^src/',
      pathNot: [
        '^src/shared/start-worker\\.ts$',
        '^src/runs/outcome/outcome-(?:reader|worker)\\.ts$',
        '^src/storage/checkpoint(?:er|-worker)\\.ts$',
        '^src/models/downloads/hashing/hash(?:ing|-worker)\\.ts$',
        tests,
      ],
    },
    to: { path: '^(?:node:)?worker_threads$' },
    plant: { file: 'src/runs/planted.ts', imports: 'node:worker_threads' },
  },
  {
    name: 'outcome-worker-is-light',
    comment: 'It is loaded anew for every large outcome, so no package may reach it.',
    from: { path: '^src/runs/outcome/outcome-worker\\.ts$' },
    to: { path: '(?:^|/)node_modules/', reachable: true },
    plant: { file: 'src/runs/outcome/outcome-worker.ts', imports: '../../shared/log.ts' },
  },
  {
    name: 'console-knows-the-wire',
    comment:
      'The console is a caller like any other: it knows the forms of the interface, which are erased when it is built, and no code of the service.',
    from: { path: '^web/src/' },
    to: { path: '^src/', pathNot: ['^src/http/wire/'] },
    plant: { file: 'web/src/parts/planted.ts', imports: '../../../src/shared/errors.ts' },
  },
  {
    name: 'wire-in-one-place',
    comment: 'What the answers of the service are called in the console stands in one file.',
    from: { path: '^web/src/', pathNot: ['^web/src/api/'] },
    to: { path: '^src/' },
    plant: { file: 'web/src/parts/planted.ts', imports: '../../../src/http/wire/runs.ts' },
  },
  {
    name: 'service-knows-no-console',
    comment: 'The service sends the files of the console as they were built, and imports none of them.',
    from: { path: '^src/' },
    to: { path: '^web/' },
    plant: { file: 'src/http/planted.ts', imports: '../../web/src/api/wire.ts' },
  },
  {
    name: 'parts-know-no-page',
    comment: 'Whatever several pages are made of must not depend on one of them.',
    from: { path: '^web/src/(?:api|language|parts|theme)/' },
    to: { path: '^web/src/', pathNot: ['^web/src/(?:api|language|parts|theme)/'] },
    plant: { file: 'web/src/parts/planted.ts', imports: '../runs/some-run.ts' },
  },
  {
    name: 'terminal-when-needed',
    comment:
      'The emulator is most of a page by itself: it is fetched with the first terminal, and not before.',
    from: { path: '^web/src/', pathNot: ['^web/src/terminal/'] },
    to: { path: 'node_modules/@xterm/' },
    plant: { file: 'web/src/run/planted.ts', imports: '@xterm/xterm' },
  },
  {
    name: 'no-circles',
    comment: 'Two files that import each other are one file that nobody can read on its own.',
    from: { path: '^(?:src|web)/' },
    to: { circular: true },
    plant: {
      file: 'src/shared/planted.ts',
      imports: './planted-too.ts',
      and: ['src/shared/planted-too.ts', './planted.ts'],
    },
  },
];

export const textRules = [
  {
    name: 'environment-in-settings',
    comment:
      'Only settings reads the environment, so that every setting is found, checked and documented in one place; and the program in a window, to which its emulator says in this way what it can show, and the one that builds environments, which passes on to its tools what it was given.',
    pattern: /\bprocess\.env\b/,
    allowed: /^src\/(?:settings\/|terminals\/window\/main\.ts$|environments\/builder\/main\.ts$)/,
  },
  {
    name: 'exit-in-entries',
    comment: 'Only entry files end the process: anywhere else it would cut off work that others started.',
    pattern: /\bprocess\.exit\b/,
    allowed: /^src\/(?:cli|executor|terminals\/(?:page|window))\/main\.ts$/,
  },
];
