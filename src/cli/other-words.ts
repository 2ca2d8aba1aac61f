/** What people are used to type, and how it is called here. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
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

/** The commands that somebody who types this means; none when it is a word of Hob, or of nobody. */
export function commandsFor(word: string): readonly string[] {
  return Object.hasOwn(otherWords, word) ? (otherWords[word] ?? []) : [];
}
