const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a size in decimal units: 1 kB is 1,000 bytes. */
export function formatSize(bytes: number): string {
  const unit = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
