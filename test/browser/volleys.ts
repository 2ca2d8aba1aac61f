import type { Place, Targets, Vector } from './vector.ts';

/** Vectors that are fired from one page, at one target or at all. */
export interface Volley {
  readonly id: string;
  readonly place: Place;
  readonly targets: Partial<Targets>;
  readonly vectors: readonly [Vector, ...Vector[]];
}

/** As many vectors to a page as go together: opening pages is what takes time. */
export function planVolleys(vectors: readonly Vector[], targets: Targets): Volley[] {
  const alone: Volley[] = [];
  const together = new Map<Place, [Vector, ...Vector[]]>();
  for (const vector of vectors) {
    const { name: id, place = 'evil' } = vector;
    const others = together.get(place);
    if (vector.leaves === true) alone.push(...forEachTarget({ id, place, targets, vectors: [vector] }));
    else if ((vector.headers ?? vector.head) !== undefined)
      alone.push({ id, place, targets, vectors: [vector] });
    else if (others === undefined) together.set(place, [vector]);
    else others.push(vector);
  }
  const shared = [...together].map(([place, vectors]) => ({ id: place, place, targets, vectors }));
  // The largest first: its page is open while all others come and go.
  return [...shared.flatMap((volley) => (volley.place === 'rebound' ? rebound(volley) : [volley])), ...alone];
}

function forEachTarget(volley: Volley): Volley[] {
  return Object.entries(volley.targets).map(([name, origin]) => ({
    ...volley,
    id: `${volley.id}-${name}`,
    targets: { [name]: origin },
  }));
}

/** The target is the origin of the page. */
function rebound(volley: Volley): Volley[] {
  const named = Object.entries(volley.targets).map(([name, origin]) => [
    name,
    `http://rebind.test:${new URL(origin).port}`,
  ]);
  return forEachTarget({ ...volley, targets: Object.fromEntries(named) });
}
