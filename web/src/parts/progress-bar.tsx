interface ProgressBarProps {
  /** From 0 to 1; null if the total is unknown. */
  readonly fraction: number | null;
  readonly label: string;
}

export function ProgressBar({ fraction, label }: ProgressBarProps) {
  const percent = fraction === null ? null : Math.round(fraction * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
      className="h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div
        className={
          percent === null
            ? 'h-full w-1/3 animate-[pass_1.2s_ease-in-out_infinite] rounded-full bg-accent'
            : 'h-full rounded-full bg-accent transition-[width]'
        }
        style={percent === null ? undefined : { width: `${percent}%` }}
      />
    </div>
  );
}
