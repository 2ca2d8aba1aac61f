import type { SeededRandom } from '../random.ts';
import {
  decide,
  disagreement,
  expectedAnswers,
  type House,
  isNoRequest,
  isUndecided,
} from './door-oracle.ts';
import { exchange } from './exchange.ts';
import { hostileBytes } from './hostile-bytes.ts';

interface Knocking {
  readonly house: House;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly random: SeededRandom;
  /** The number of connections. */
  readonly count: number;
  /** Stops earlier when this returns true. */
  readonly isEnough?: (tally: Tally) => boolean;
}

export interface Tally {
  requests: number;
  letIn: number;
  turnedAway: number;
  noRequests: number;
  serverErrors: number;
  /** Connections with a request that the parser may accept or refuse. */
  undecided: number;
  /** Valid requests without an answer, because of the bytes after them. */
  overtaken: number;
  /** Each with the bytes that caused it. */
  disagreements: string[];
}

const atOnce = 96;
const patienceMs = 200;
const shownBytes = 600;

/** Sends hostile bytes over many connections, and compares the answers with the rules of access control. */
export async function knock({ house, addresses, port, random, count, isEnough }: Knocking): Promise<Tally> {
  const tally: Tally = {
    requests: 0,
    letIn: 0,
    turnedAway: 0,
    noRequests: 0,
    serverErrors: 0,
    undecided: 0,
    overtaken: 0,
    disagreements: [],
  };
  let next = 0;
  const workers = Array.from({ length: atOnce }, async () => {
    while (next < count && isEnough?.(tally) !== true) {
      const address = addresses[next++ % addresses.length] ?? '';
      await knockOnce(hostileBytes(random, house), address);
    }
  });
  await Promise.all(workers);
  return tally;

  async function knockOnce(bytes: Buffer, address: string): Promise<void> {
    const verdicts = decide(bytes, house);
    const { certain, mayBeMore } = expectedAnswers(verdicts);
    const methods = verdicts.map(({ method }) => method);
    const patience = mayBeMore ? patienceMs : 0;
    const heard = await exchange({ address, port, bytes, methods, wanted: certain, patienceMs: patience });
    tally.requests += verdicts.length;
    if (isUndecided(verdicts)) tally.undecided++;
    for (const answer of heard.answers) {
      if (answer.status >= 500) tally.serverErrors++;
      if (isNoRequest(answer)) tally.noRequests++;
      else if (answer.headers.get('x-hob-error')?.startsWith('door-') === true) tally.turnedAway++;
      else tally.letIn++;
    }
    const isStreamed = heard.answers.some(({ isStream }) => isStream);
    if (heard.answers.filter((answer) => !isNoRequest(answer)).length < certain && !isStreamed)
      tally.overtaken++;
    const wrong = disagreement(verdicts, heard);
    if (wrong !== null)
      tally.disagreements.push(`${wrong}: ${JSON.stringify(bytes.toString('latin1')).slice(0, shownBytes)}`);
  }
}
