/** The file in the home that says where its service listens, for as long as it does. */
export const serviceFile = 'service.json';

export interface ServiceInfo {
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  /** When the process was started, in ticks of this boot, where the system tells: another process may get its id. */
  readonly startTicks: number | null;
  /** Whether it asks for its token. */
  readonly token: boolean;
}

export function parseServiceInfo(text: string): ServiceInfo | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    if (!('pid' in value && 'url' in value && 'version' in value)) return null;
    if (typeof value.pid !== 'number' || typeof value.url !== 'string') return null;
    return {
      pid: value.pid,
      url: value.url,
      version: String(value.version),
      startTicks: 'startTicks' in value && typeof value.startTicks === 'number' ? value.startTicks : null,
      token: 'token' in value && value.token === true,
    };
  } catch {
    return null;
  }
}
