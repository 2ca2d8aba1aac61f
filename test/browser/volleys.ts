import type { Place, Targets, Vector } from './vector.ts';

/** Vectors that are fired from one page, at one or all targets. */
export interface Volley {
  readonly id: string;
  readonly place: Place;
  readonly targets: Partial<Targets>;
  readonly vectors: readonly [Vector, ...Vector[]];
}

/** Groups as many vectors as possible per page, because opening pages is slow. */
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
  // The largest groups first, because their pages run longest.
  return [...shared.flatMap((volley) => (volley.place === 'rebound' ? rebound(volley) : [volley])), ...alone];
}

function forEachTarget(volley: Volley): Volley[] {
  return Object.entries(volley.targets).map(([name, origin]) => ({
    ...volley,
    id: `${volley.id}-${name}`,
    targets: { [name]: origin },
  }));
}

/** Splits a volley by target, because the page has the origin of its target. */
function rebound(volley: Volley): Volley[] {
  const named = Object.entries(volley.targets).map(([name, origin]) => [
    name,
    `http://rebind.test:${new URL(origin).port}`,
  ]);
  return forEachTarget({ ...volley, targets: Object.fromEntries(named) });
}
