const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in short form: 512 B, 1.4 MB. */
export function bytesText(bytes: number): string {
  let [rest, step] = [bytes, 0];
  while (rest >= 1000 && step < units.length - 1) {
    rest /= 1000;
    step += 1;
  }
  return `${step === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[step]}`;
}
