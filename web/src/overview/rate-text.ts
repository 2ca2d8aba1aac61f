/** A part of a whole in per cent. 100 % is all of it, and 0 % is none: what is nearly so is not rounded to it. */
export function rateText(part: number, whole: number): string | null {
  if (whole === 0) return null;
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 1) return '< 1%';
  if (percent > 99 && percent < 100) return `${Math.min(99.9, Math.floor(percent * 10) / 10).toFixed(1)}%`;
  return `${Math.round(percent)}%`;
}
