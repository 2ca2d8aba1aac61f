import type { Heard, WireAnswer } from './exchange.ts';
import { type ReadRequest, readRequest } from './read-request.ts';

/** The addresses and origins that access control accepts. */
export interface House {
  /** In lower case, with the port. */
  readonly hosts: readonly string[];
  readonly trustedOrigins: readonly string[];
}

/** The expected result of one request. */
export interface Verdict {
  readonly method: string;
  /**
   * `in`: access control accepts it. `out`: it is refused for one of the reasons. `shut`: the connection is closed.
   * `none`: the bytes contain no request, or only a part of one.
   */
  readonly fate: 'in' | 'out' | 'shut' | 'none';
  readonly reasons: readonly string[];
  /** Whether a server may also answer that this is not a request. */
  readonly isDoubtful: boolean;
  /** Whether the body is invalid. Access control does not check it. */
  readonly isBodyWrong: boolean;
  readonly isPathWrong: boolean;
}

const statusByReason: Record<string, number> = {
  'door-protocol': 400,
  'door-host-missing': 400,
  'door-host': 403,
  'door-origin': 403,
  'door-fetch-site': 403,
  'door-method': 403,
};

export const onEveryAnswer = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
};

/** Decides from the bytes alone, by the rules of access control, the expected result of each request in them. */
export function decide(bytes: Buffer, house: House): Verdict[] {
  const text = bytes.toString('latin1');
  const isMoreAt = (at: number) => /[^\r\n]/.test(text.slice(at));
  const verdicts: Verdict[] = [];
  let isUnsure = false;
  for (let at = 0; isMoreAt(at); ) {
    const request = readRequest(text, at);
    const verdict = judgeRequest(request, house);
    verdicts.push({ ...verdict, isDoubtful: verdict.isDoubtful || isUnsure });
    if (verdict.fate === 'none' || verdict.fate === 'shut' || request === null || request.end === null) break;
    at = request.end;
    const { isLast, isUnclear } = readConnection(request);
    if (verdict.fate === 'out' || isLast) {
      if (isMoreAt(at)) verdicts.push({ ...nothing, method: '', fate: 'none' });
      break;
    }
    isUnsure ||= isUnclear;
  }
  return verdicts;
}

/** Whether this is the last request of the connection, or whether it is unclear if the server reads another. */
function readConnection({ version, headers }: ReadRequest): { isLast: boolean; isUnclear: boolean } {
  const options = headers
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/[ \t]*,[ \t]*/));
  const isKept = options.includes('keep-alive');
  const isClosed = options.includes('close');
  // After an Upgrade header, the server may discard what the client sends before the protocol is agreed on.
  const isOffer = headers.some(([name]) => name === 'upgrade');
  return { isLast: !isKept && (isClosed || version !== '1.1'), isUnclear: isOffer || (isKept && isClosed) };
}

const nothing = { reasons: [], isDoubtful: true, isBodyWrong: false, isPathWrong: false } as const;

function judgeRequest(request: ReadRequest | null, house: House): Verdict {
  if (request === null || request.head === 'broken')
    return { ...nothing, method: request?.method ?? '', fate: 'none' };
  const { method, target } = request;
  if (method === 'CONNECT') return { ...nothing, method, fate: 'shut' };
  const reasons = reasonsAgainst(request, house);
  return {
    method,
    fate: reasons.length > 0 ? 'out' : 'in',
    reasons,
    isDoubtful: request.head === 'doubtful',
    isBodyWrong: request.body !== 'sound',
    isPathWrong: /%(?![0-9a-f]{2})|%[89a-f]/i.test(target),
  };
}

/** Every rule that the request breaks. The answer may name any of them. */
function reasonsAgainst({ method, target, version, headers }: ReadRequest, house: House): string[] {
  const valuesOf = (wanted: string) => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const reasons: string[] = [];
  const isPath = target.startsWith('/') && target[1] !== '/' && !target.includes('#');
  if (!isPath || (version !== '1.0' && version !== '1.1')) reasons.push('door-protocol');

  const [host = '', ...moreHosts] = valuesOf('host').map(lowerAscii);
  if (moreHosts.length > 0 || valuesOf('host').length === 0) reasons.push('door-host-missing');
  else if (!house.hosts.includes(host)) reasons.push('door-host');

  const origins = valuesOf('origin');
  const isTrusted = origins.length === 1 && house.trustedOrigins.includes(origins[0] ?? '');
  if (origins.length > 1 || (origins.length === 1 && !isTrusted && origins[0] !== `http://${host}`))
    reasons.push('door-origin');

  const harmless = method === 'GET' || method === 'HEAD' ? ['same-origin', 'none'] : ['same-origin'];
  // A trusted page may belong to another site, and its browser says so in Sec-Fetch-Site.
  if (!isTrusted && valuesOf('sec-fetch-site').some((site) => !harmless.includes(site)))
    reasons.push('door-fetch-site');

  if (method === 'OPTIONS') reasons.push('door-method');
  return reasons;
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The number of answers that must come, and whether more may come. */
export function expectedAnswers(verdicts: readonly Verdict[]): { certain: number; mayBeMore: boolean } {
  let certain = 0;
  for (const { fate, isDoubtful, isBodyWrong } of verdicts) {
    if (isDoubtful || fate === 'none' || fate === 'shut') return { certain, mayBeMore: true };
    if (fate === 'out') return { certain: certain + 1, mayBeMore: false };
    if (isBodyWrong) return { certain, mayBeMore: true };
    certain++;
  }
  return { certain, mayBeMore: false };
}

/** Describes what is wrong with the answers; null if they are as expected. */
export function disagreement(verdicts: readonly Verdict[], { answers, rest, isHung }: Heard): string | null {
  if (isHung) return 'neither answered nor closed';
  if (rest !== '') return `an answer that is none: ${rest.slice(0, 200)}`;
  if (!answers.every(hasItsHeaders))
    return 'an answer without the headers of every answer, or with those of CORS';
  // The server parses ahead, so it may refuse invalid bytes and close the connection before it answers earlier requests.
  const isCutShort = verdicts.some(
    ({ fate, isDoubtful, isBodyWrong }) => isDoubtful || isBodyWrong || fate === 'none' || fate === 'shut',
  );
  let heard = 0;
  for (const verdict of verdicts) {
    const answer = answers[heard];
    if (answer === undefined) {
      if (isCutShort) return null;
      return `no answer to a request that must be ${verdict.fate}`;
    }
    heard++;
    const wrong = wrongAnswer(verdict, answer, isCutShort);
    if (wrong !== null) return wrong;
    if (verdict.fate !== 'in') break;
    if (answer.headers.get('connection') === 'close' || answer.isStream) break;
  }
  const more = answers.slice(heard);
  if (more.length === 0 || (more.length === 1 && isCutShort && more.every(isNoRequest))) return null;
  return `more answers than requests: ${more.map(inShort).join(', ')}`;
}

function hasItsHeaders({ headers }: WireAnswer): boolean {
  const isOpen = [...headers.keys()].some((name) => name.startsWith('access-control-'));
  // The policy of the console's page contains additional rules.
  const has = (name: string, value: string) => headers.get(name)?.split('; ').includes(value) === true;
  return !isOpen && Object.entries(onEveryAnswer).every(([name, value]) => has(name, value));
}

function wrongAnswer(verdict: Verdict, answer: WireAnswer, isCutShort: boolean): string | null {
  const { fate, reasons, isPathWrong } = verdict;
  const code = codeOf(answer);
  if (answer.status >= 500) return `an answer of ${answer.status}`;
  if (isNoRequest(answer)) {
    if (isCutShort || (fate === 'in' && isPathWrong)) return null;
    return `a request that must be ${fate} was called none`;
  }
  switch (fate) {
    case 'in':
      if (code.startsWith('door-') || (code === 'request-malformed' && !isPathWrong))
        return `a request that must be in was refused: ${code}`;
      return null;
    case 'out':
      if (answer.interim > 0) return 'a refused request got 100 Continue';
      if (reasons.includes(code) && answer.status === statusByReason[code]) return null;
      return `a request that must be out for ${reasons.join(', ')} got ${inShort(answer)}`;
    case 'shut':
    case 'none':
      return `what is no request got ${inShort(answer)}`;
  }
}

/** Whether the rules allow the parser to refuse the bytes as no request instead. */
export function isUndecided(verdicts: readonly Verdict[]): boolean {
  return verdicts.some(({ fate, isDoubtful, isBodyWrong }) => {
    return (fate === 'in' || fate === 'out') && (isDoubtful || isBodyWrong);
  });
}

/** Whether the service refused the bytes as no request. A request with a malformed path does not close the connection. */
export function isNoRequest(answer: WireAnswer): boolean {
  const statuses: Record<string, number> = { 'request-malformed': 400, 'request-header-too-large': 431 };
  return statuses[codeOf(answer)] === answer.status && answer.headers.get('connection') === 'close';
}

function codeOf({ headers }: WireAnswer): string {
  return headers.get('x-hob-error') ?? '';
}

function inShort(answer: WireAnswer): string {
  return `${answer.status} ${codeOf(answer)}`.trim();
}
