import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Where new objects live. When it is full it is cleared of those that are not needed any more; left to itself it grows to 32 MB. A
 * quarter of that makes it rare enough, and a service that has little to do needs none of it.
 */
const enoughBytes = 8_000_000;
/** How often it is asked for between two looks: it grows by one step at a time. */
const looksOnce = 8;

let isAllowed = false;
let asked = 0;

/** There is work to do. To be called for each piece of it. */
export function growNewSpace(): void {
  asked += 1;
  if (asked % looksOnce !== 0) return;
  const isSmall = sizeBytes() < enoughBytes;
  if (isSmall !== isAllowed) allow(isSmall);
}

/** When a thread comes up, Node sets back what was set for the heaps of all of them. */
export function keepNewSpace(): void {
  allow(isAllowed);
}

/** The factor by which it grows. Whoever starts the process sets it to one, before anything is loaded. */
function allow(toGrow: boolean): void {
  isAllowed = toGrow;
  setFlagsFromString(`--semi-space-growth-factor=${toGrow ? 2 : 1}`);
}

function sizeBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
