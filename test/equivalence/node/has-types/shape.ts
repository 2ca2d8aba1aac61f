export type Shape = { kind: 'square'; side: number } | { kind: 'circle'; radius: number };

export function area(shape: Shape): number {
  return shape.kind === 'square' ? shape.side ** 2 : Math.PI * shape.radius ** 2;
}
