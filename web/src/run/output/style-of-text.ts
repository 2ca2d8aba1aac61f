import type { CSSProperties } from 'react';

import type { Colour, TextStyle } from './text-style.ts';

/** Black, white and greys. On a background they are replaced by a readable colour. */
const greys = new Set([0, 7, 8, 15]);
const cubeLevels = [0, 95, 135, 175, 215, 255] as const;

/** CSS for styled text. The first 16 colours come from the theme; the lightness of other colours is adjusted to it. */
export function styleOfText(style: TextStyle): CSSProperties {
  const { ink, ground } = style.isInverse ? { ink: style.ground, ground: style.ink } : style;
  const hasGround = ground !== null || style.isInverse;
  const lines = [style.isUnderlined && 'underline', style.isStruck && 'line-through'].filter(Boolean);
  return {
    ...(hasGround
      ? { backgroundColor: groundOf(ground), color: inkOn(ink, ground) }
      : { color: inkOf(ink, style.isDim) }),
    ...(style.isBold && { fontWeight: 600 }),
    ...(style.isItalic && { fontStyle: 'italic' }),
    ...(lines.length > 0 && { textDecoration: lines.join(' ') }),
  };
}

function inkOf(ink: Colour | null, isDim: boolean): string | undefined {
  if (ink === null) return isDim ? 'var(--muted)' : undefined;
  if (typeof ink === 'number' && ink < 16) return `var(--ansi-${ink})`;
  return `oklch(from ${rgbOf(ink)} var(--ansi-lightness) c h)`;
}

function groundOf(ground: Colour | null): string {
  if (ground === null) return 'var(--ink)';
  return typeof ground === 'number' && ground < 16 ? `var(--ansi-${ground})` : rgbOf(ground);
}

/** The text colour on a background. All theme colours are readable on the surface colour, so the reverse is readable too. */
function inkOn(ink: Colour | null, ground: Colour | null): string {
  const isOurs = ground === null || (typeof ground === 'number' && ground < 16);
  if (ink === null || (typeof ink === 'number' && greys.has(ink)))
    return isOurs ? 'var(--surface)' : isLight(ground) ? 'black' : 'white';
  return typeof ink === 'number' && ink < 16 ? `var(--ansi-${ink})` : rgbOf(ink);
}

function rgbOf(colour: Colour): string {
  return `rgb(${levelsOf(colour).join(' ')})`;
}

function levelsOf(colour: Colour): readonly number[] {
  if (typeof colour !== 'number') return colour;
  if (colour >= 232) return Array<number>(3).fill(8 + (colour - 232) * 10);
  const at = colour - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => cubeLevels[step] ?? 0);
}

function isLight(colour: Colour): boolean {
  const [red = 0, green = 0, blue = 0] = levelsOf(colour);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 128;
}
