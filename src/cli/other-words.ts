/** Command names of other tools, and the matching commands of Hob. */
const commandsOfOtherTools: Readonly<Record<string, readonly string[]>> = {
  status: ['hob service status', 'hob doctor'],
  restart: ['hob stop && hob start'],
  ps: ['hob runs --state running'],
  history: ['hob runs'],
  log: ['hob logs'],
  exec: ['hob run'],
  execute: ['hob run'],
  kill: ['hob cancel'],
  retry: ['hob rerun'],
  ls: ['hob list'],
  info: ['hob show'],
  add: ['hob install'],
  get: ['hob install'],
  remove: ['hob uninstall'],
  rm: ['hob uninstall'],
  delete: ['hob uninstall'],
  upgrade: ['hob update'],
  create: ['hob new'],
  init: ['hob new'],
  validate: ['hob check'],
  lint: ['hob check'],
  models: ['hob model list'],
};

/** The commands of Hob that match a command name of another tool; empty if there are none. */
export function commandsFor(word: string): readonly string[] {
  return Object.hasOwn(commandsOfOtherTools, word) ? (commandsOfOtherTools[word] ?? []) : [];
}
