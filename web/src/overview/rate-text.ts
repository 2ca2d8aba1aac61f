/** A share in per cent. Only exact values are shown as 0% and 100%; values close to them are not rounded to them. */
export function rateText(part: number, whole: number): string | null {
  if (whole === 0) return null;
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 1) return '< 1%';
  if (percent > 99 && percent < 100) return `${Math.min(99.9, Math.floor(percent * 10) / 10).toFixed(1)}%`;
  return `${Math.round(percent)}%`;
}
