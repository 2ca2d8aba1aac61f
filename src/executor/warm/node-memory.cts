/**
 * Makes an interpreter that has waited look like a new one: its command line, the variable with the id of its run, and
 * the time at which its clocks start. Node offers no way to change them, so this overwrites them in the memory of the
 * process.
 */
const fs: typeof import('node:fs') = require('node:fs');

export interface NodeMemory {
  /** Makes now the start time of the process, and sets its command line and the value of the cookie. */
  restart(command: readonly string[], runId: string): void;
  close(): void;
}

interface Memory {
  read(address: number, length: number): Buffer;
  write(address: number, bytes: Buffer): void;
  /** The addresses that contain this word. */
  find(regions: readonly Region[], word: Buffer): number[];
  /** The first of these addresses at which a zero, written for a moment, has an effect. */
  tried(addresses: readonly number[], hasEffect: () => boolean): number;
}

interface Region {
  readonly start: number;
  readonly end: number;
}

interface Regions {
  readonly heap: readonly Region[];
  /** Memory without a file or a name. The allocator continues there if the addresses after the heap are taken. */
  readonly unnamed: readonly Region[];
  /** The static variables of the program and of its libraries. */
  readonly statics: readonly Region[];
}

/** Small, because every warm interpreter keeps this buffer. */
const chunkBytes = 262_144;
const wordBytes = 8;
/** Nanoseconds since boot exceed 2^53 after 104 days; the double of such a number may differ by up to this much. */
const roundings = [-4n, -3n, -2n, -1n, 0n, 1n, 2n, 3n, 4n];

/** Throws if the system does not permit it, or if this version of Node stores its state in an unknown way. */
function openNodeMemory(cookie: string): NodeMemory {
  const fd = fs.openSync('/proc/self/mem', 'r+');
  const memory = openMemory(fd);
  const regions = readRegions();
  const stat = fs.readFileSync('/proc/self/stat', 'latin1');
  // The first field after the program name is the third field of the file.
  const [argStart = 0, argEnd = 0, envStart = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(45)
    .map(Number);
  const environment = fs.readFileSync('/proc/self/environ', 'latin1');
  const [before, rest] = `\0${environment}`.split(`\0${cookie}=`);
  if (before === undefined || rest === undefined) throw new Error(`The environment has no ${cookie}`);
  const cookieAt = envStart + before.length + cookie.length + 1;
  const capacityAt = findTitleCapacity(memory, regions, { start: argStart, end: argEnd });
  const restartClock = openClockAnywhere(memory, regions);
  const restart: NodeMemory['restart'] = (command, runId) => {
    restartClock();
    const line = Buffer.alloc(argEnd - argStart);
    const length = line.write(`${command.join('\0')}\0`);
    memory.write(argStart, line);
    memory.write(capacityAt, uint64(length));
    memory.write(cookieAt, Buffer.from(runId));
  };
  // Write the current values first: an error then affects no run, and the second call is faster.
  const command = fs.readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
  restart(command, rest.slice(0, rest.indexOf('\0')));
  const times: unknown[] = Object.values(performance.nodeTiming.toJSON());
  if (times.some((time) => Number(time) < -1)) throw new Error('Node has a milestone that is not known here');
  return { restart, close: () => fs.closeSync(fd) };
}

function openMemory(fd: number): Memory {
  const chunk = Buffer.alloc(chunkBytes);
  const read = (address: number, length: number) => {
    const bytes = Buffer.alloc(length);
    fs.readSync(fd, bytes, 0, length, address);
    return bytes;
  };
  const write = (address: number, bytes: Buffer) => {
    fs.writeSync(fd, bytes, 0, bytes.length, address);
  };
  return {
    read,
    write,
    find(regions, word) {
      const found: number[] = [];
      for (const { start, end } of regions) {
        for (let address = start; address < end; address += chunk.length) {
          const length = fs.readSync(fd, chunk, 0, Math.min(chunk.length, end - address), address);
          const piece = chunk.subarray(0, length);
          for (let at = piece.indexOf(word); at >= 0; at = piece.indexOf(word, at + 1))
            if (at % wordBytes === 0) found.push(address + at);
        }
      }
      // The chunk may be in one of the regions: leave no copy of the word in it.
      chunk.fill(0);
      return found;
    },
    tried(addresses, hasEffect) {
      for (const address of addresses) {
        const kept = read(address, wordBytes);
        write(address, uint64(0));
        const isRight = hasEffect();
        write(address, kept);
        if (isRight) return address;
      }
      throw new Error('No address has an effect');
    },
  };
}

function readRegions(): Regions {
  const heap: Region[] = [];
  const unnamed: Region[] = [];
  const statics: Region[] = [];
  let fileEnd = 0;
  for (const line of fs.readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const [, from = '', to = '', access = '', name = ''] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)$/.exec(line) ?? [];
    const region = { start: Number.parseInt(from, 16), end: Number.parseInt(to, 16) };
    const isFile = name.startsWith('/');
    if (access === 'rw-p') {
      if (name === '[heap]') heap.push(region);
      // Variables that are initially zero are not in the file. They follow the variables that are.
      else if (isFile || (name === '' && region.start === fileEnd)) statics.push(region);
      else if (name === '') unnamed.push(region);
    }
    if (isFile) fileEnd = region.end;
  }
  return { heap, unnamed, statics };
}

/**
 * libuv stores the process title as a pointer, a length and a capacity. The title is the command line, and a new title
 * overwrites it.
 */
function findTitleCapacity(memory: Memory, { statics }: Regions, { start, end }: Region): number {
  const state = Buffer.concat([start, Buffer.byteLength(process.argv0), end - start].map(uint64));
  const found = memory
    .find(statics, uint64(start))
    .filter((address) => memory.read(address, state.length).equals(state));
  return only(found) + 2 * wordBytes;
}

/** Few processes keep a value outside the heap, and searching all memory takes longer. */
function openClockAnywhere(memory: Memory, { heap, unnamed, statics }: Regions): () => void {
  try {
    return openClock(memory, { heap, statics });
  } catch {
    return openClock(memory, { heap: [...heap, ...unnamed], statics });
  }
}

/**
 * Finds the values from which `performance` and `process.uptime()` count, and returns a function that sets them to now.
 * A value that was found is tested where possible: changing it must change what Node reports.
 */
function openClock(memory: Memory, { heap, statics }: Omit<Regions, 'unnamed'>): () => void {
  const { nodeTiming } = performance;
  const timestampUs = double(Math.round(performance.timeOrigin * 1000));
  const timestamps = memory.find(heap, timestampUs);
  // Eight doubles: the wall time in microseconds, and then in nanoseconds the origin of all others, the starts of the
  // environment, of Node, of V8 and of the event loop, the end of the event loop, and the end of the bootstrap. A
  // negative value is not reached yet.
  const nowNs = Number(process.hrtime.bigint());
  const areMilestones = (address: number) => {
    const { buffer, byteOffset } = memory.read(address, 8 * wordBytes);
    const [, start = 0, ...others] = new Float64Array(buffer, byteOffset, 8);
    return start > 0 && others.every((ns) => ns < 0 || (ns >= start && ns <= nowNs));
  };
  const milestonesAt = memory.tried(timestamps.filter(areMilestones), () => performance.timeOrigin === 0);
  const milestones = memory.read(milestonesAt, 8 * wordBytes);
  const [, origin = 0, ...later] = new Float64Array(milestones.buffer, milestones.byteOffset, 8);
  const [environmentStart = 0, nodeStart = 0, v8Start = 0] = later;
  // Entries made by native code, such as those of the garbage collector, count from a copy of the first two values. The
  // start of the environment that follows the copy identifies the copy of this thread.
  const environmentAt = only(
    timestamps
      .map((address) => address - wordBytes)
      .filter((address) => {
        const copy = memory.read(address, 3 * wordBytes);
        const isOrigin = Number(copy.readBigUInt64LE()) === origin;
        return isOrigin && Number(copy.readBigUInt64LE(2 * wordBytes)) === environmentStart;
      }),
  );
  const placesOf = (ns: number) =>
    (Number.isSafeInteger(ns) ? [0n] : roundings).flatMap((rounding) =>
      memory.find(statics, uint64(BigInt(ns) + rounding)),
    );
  const originAt = memory.tried(placesOf(origin), () => performance.now() * 1e6 > origin);
  const nodeStartAt = memory.tried(placesOf(nodeStart), () => process.uptime() * 1e9 > nodeStart);
  // New worker threads start with these values.
  const v8StartAt = only(placesOf(v8Start));
  const timestampAt = only(memory.find(statics, timestampUs));
  const idleNs = Math.round(nodeTiming.idleTime * 1e6);
  // The event loop has already waited if a module loader was started before.
  const idleAt =
    idleNs === 0 ? null : memory.tried(memory.find(heap, uint64(idleNs)), () => nodeTiming.idleTime === 0);
  const tookNs = Number(process.hrtime.bigint()) - origin;

  return () => {
    const startNs = process.hrtime.bigint();
    const wallMs = Date.now();
    const computedMs = performance.timeOrigin + performance.now();
    // Node's computed time is more precise than the system's milliseconds, but wrong after the clock was set or the
    // machine was suspended.
    const startMs = Math.abs(computedMs - wallMs) > 1 ? wallMs : computedMs;
    const timestamp = double(Math.round(startMs * 1000));
    const passedNs = Number(process.hrtime.bigint() - startNs);
    // The whole start now lies between these two times. Its milestones keep their order and proportions.
    const moved = later.map((ns) =>
      ns < 0 ? ns : Number(startNs) + Math.round(((ns - origin) / tookNs) * passedNs),
    );
    const [, movedNodeStart = 0, movedV8Start = 0] = moved;
    memory.write(milestonesAt, Buffer.concat([timestamp, double(Number(startNs)), ...moved.map(double)]));
    memory.write(environmentAt, Buffer.concat([uint64(startNs), timestamp]));
    memory.write(originAt, uint64(startNs));
    memory.write(nodeStartAt, uint64(movedNodeStart));
    memory.write(v8StartAt, uint64(movedV8Start));
    memory.write(timestampAt, timestamp);
    if (idleAt !== null) memory.write(idleAt, uint64(0));
  };
}

function only(found: readonly number[]): number {
  const [place] = found;
  if (place === undefined || found.length > 1) throw new Error(`Found in ${found.length} places`);
  return place;
}

function uint64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(wordBytes);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(wordBytes);
  bytes.writeDoubleLE(value);
  return bytes;
}

module.exports = openNodeMemory;
