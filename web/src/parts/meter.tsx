interface MeterProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly fraction: number;
  /** The value as text. */
  readonly text: string;
}

/** A bar for a value with a maximum. */
export function Meter({ label, fraction, text }: MeterProps) {
  const percent = Math.min(100, Math.max(0, Math.round(fraction * 100)));
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-muted">{label}</span>
        <span className="text-xs tabular-nums">{text}</span>
      </div>
      <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover">
        <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
