/**
 * A request parser that was written from RFC 9112 alone. It parses the bytes as generously as any server might, and reports
 * whether a server may, or must, refuse them.
 */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  /** Such as `1.1`; empty if the request line has none. */
  readonly version: string;
  /** Names in lower case, values without surrounding blanks. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * `sound`: valid. `doubtful`: a server may accept it or not. `broken`: a server must refuse it.
   */
  readonly head: Soundness;
  /** The offset after its body; null if the body is incomplete or its length is unclear. */
  readonly end: number | null;
  readonly body: Soundness | 'unfinished';
}

type Soundness = 'sound' | 'doubtful' | 'broken';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const wellKnownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'];
const largestHead = 32 * 1024;
/** Servers count header sizes differently. */
const surelyTooLarge = 34 * 1024;
const mostHeaders = 1000;

/** The request at this offset; null if its head is incomplete. */
export function readRequest(text: string, start: number): ReadRequest | null {
  const doubts = new Doubts();
  let at = start;
  while (text[at] === '\r' || text[at] === '\n') at++;
  const begin = at;
  const lines: string[] = [];
  for (;;) {
    const end = text.indexOf('\n', at);
    if (end === -1) return null;
    const hasReturn = text[end - 1] === '\r' && end > at;
    doubts.mayRefuse(!hasReturn);
    const line = text.slice(at, hasReturn ? end - 1 : end);
    at = end + 1;
    if (line === '') break;
    doubts.mustRefuse(line.includes('\r'));
    lines.push(line);
  }
  doubts.mayRefuse(at - begin > largestHead);
  doubts.mustRefuse(at - begin > surelyTooLarge);
  const { method, target, version } = readRequestLine(lines[0] ?? '', doubts);
  const headers = readHeaders(lines.slice(1), doubts);
  doubts.mayRefuse(headers.length > mostHeaders);
  const framing = readFraming(headers, version, doubts);
  const head = doubts.soundness;
  return { method, target, version, headers, head, ...readBody(text, at, framing) };
}

class Doubts {
  soundness: Soundness = 'sound';

  mayRefuse(isSo: boolean): void {
    if (isSo && this.soundness === 'sound') this.soundness = 'doubtful';
  }

  mustRefuse(isSo: boolean): void {
    if (isSo) this.soundness = 'broken';
  }
}

function readRequestLine(line: string, doubts: Doubts) {
  // Some servers accept several blanks between words.
  doubts.mayRefuse(/ {2}| $/.test(line));
  const parts = line.replace(/ +$/, '').split(/ +/);
  const [method = '', target = '', version] = parts;
  doubts.mustRefuse(parts.length > 3 || !token.test(method) || target === '');
  doubts.mayRefuse(!wellKnownMethods.includes(method));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters.
  doubts.mustRefuse(/[\x00-\x20\x7f]/.test(target));
  doubts.mayRefuse(!target.startsWith('/') || /[\x80-\xff]/.test(target));
  // Node's parser also reads RTSP and Icecast, and does not distinguish them.
  const [, protocol, digits] = /^(HTTP|RTSP|ICE)\/(\d\.\d)$/.exec(version ?? '') ?? [];
  doubts.mustRefuse(version !== undefined && digits === undefined);
  doubts.mayRefuse(protocol !== 'HTTP' || (digits !== '1.1' && digits !== '1.0'));
  return { method, target, version: digits ?? '' };
}

function readHeaders(lines: readonly string[], doubts: Doubts): [string, string][] {
  const headers: [string, string][] = [];
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters.
    doubts.mustRefuse(/[\x00-\x08\x0b-\x1f\x7f]/.test(line));
    const last = headers.at(-1);
    if (/^[ \t]/.test(line)) {
      doubts.mayRefuse(true);
      if (last === undefined) doubts.mustRefuse(true);
      else last[1] = trimBlanks(`${last[1]} ${line}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    doubts.mustRefuse(!token.test(name));
    headers.push([name.toLowerCase(), trimBlanks(line.slice(colon + 1))]);
  }
  return headers;
}

function trimBlanks(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '');
}

type Framing = 'chunked' | number | null;

/** How the length of the body is declared; null if that is unclear. */
function readFraming(headers: readonly [string, string][], version: string, doubts: Doubts): Framing {
  const valuesOf = (wanted: string) => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const lengths = valuesOf('content-length');
  const listed = valuesOf('transfer-encoding').flatMap((value) =>
    value.toLowerCase().split(',').map(trimBlanks),
  );
  // HTTP ignores empty elements of a list.
  const codings = listed.filter((coding) => coding !== '');
  doubts.mayRefuse(codings.length < listed.length);
  if (codings.length > 0) {
    doubts.mustRefuse(lengths.length > 0);
    doubts.mayRefuse(codings.length > 1 || version !== '1.1');
    return codings.at(-1) === 'chunked' ? 'chunked' : null;
  }
  const [length = '0', ...others] = lengths;
  doubts.mustRefuse(!/^\d+$/.test(length) || BigInt(length) >= 2n ** 64n);
  doubts.mustRefuse(others.some((other) => other !== length));
  doubts.mayRefuse(others.length > 0);
  return doubts.soundness === 'broken' ? null : Number(length);
}

function readBody(text: string, start: number, framing: Framing): Pick<ReadRequest, 'end' | 'body'> {
  if (framing === null) return { end: null, body: 'broken' };
  if (framing !== 'chunked') {
    const end = start + framing;
    return end > text.length ? { end: null, body: 'unfinished' } : { end, body: 'sound' };
  }
  let isExtended = false;
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return { end: null, body: 'broken' };
    const line = text.slice(at, lineEnd);
    if (!/^[0-9a-f]{1,8}(;[^\r\n]*)?$/i.test(line)) return { end: null, body: 'broken' };
    isExtended ||= line.includes(';');
    const size = Number.parseInt(line, 16);
    at = lineEnd + 2;
    if (size === 0) return readTrailers(text, at, isExtended);
    if (at + size + 2 > text.length) return { end: null, body: 'unfinished' };
    if (text.slice(at + size, at + size + 2) !== '\r\n') return { end: null, body: 'broken' };
    at += size + 2;
  }
}

function readTrailers(text: string, start: number, isExtended: boolean): Pick<ReadRequest, 'end' | 'body'> {
  if (text.startsWith('\r\n', start)) return { end: start + 2, body: isExtended ? 'doubtful' : 'sound' };
  const end = text.indexOf('\r\n\r\n', start);
  return end === -1 ? { end: null, body: 'unfinished' } : { end: end + 4, body: 'doubtful' };
}
