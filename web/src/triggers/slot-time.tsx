import { tagOf, useLanguage } from '../language/language.tsx';

const slotFormat = {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;

interface SlotTimeProps {
  readonly time: string;
  /** The time zone of a schedule; null: that of the browser, which is usually that of the machine. */
  readonly zone: string | null;
}

/** The exact time of a slot, in the time zone of its schedule. */
export function SlotTime({ time, zone }: SlotTimeProps) {
  const { language } = useLanguage();
  const tag = tagOf(language);
  const date = new Date(time);
  return (
    <time dateTime={time} title={date.toLocaleString(tag)}>
      {date.toLocaleString(tag, {
        ...slotFormat,
        ...(date.getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
        // Intervals and expressions with six fields have seconds.
        ...(date.getSeconds() !== 0 && { second: '2-digit' }),
        ...(isZone(zone) && { timeZone: zone, timeZoneName: 'short' }),
      })}
    </time>
  );
}

/** The time zone in the fields of a schedule. */
export function zoneIn(values: Readonly<Record<string, unknown>>): string | null {
  return typeof values.timezone === 'string' ? values.timezone : null;
}

/** A browser may not know every time zone that the service knows. */
function isZone(zone: string | null): zone is string {
  try {
    return zone !== null && Intl.DateTimeFormat('en', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}
