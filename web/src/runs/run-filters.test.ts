import { describe, expect, it } from 'vitest';

import { fits, isFiltered, queryOf, readFilters, writeFilters } from './run-filters.ts';
import { someRun } from './some-run.ts';

const script = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const noon = new Date(2026, 4, 10, 12);
const read = (address: string) => readFilters(new URLSearchParams(address));
const startOf = (day: number) => new Date(2026, 4, day).toISOString();

describe('the filters of runs', () => {
  it.each([
    '',
    `q=%E6%96%87%E4%BB%B6+a&script=${script}&state=running%2Cfailed&end=timeout%2Ccancelled&origin=console%2Cschedule&days=7`,
    'trigger=nightly-backup',
    'from=2026-05-01&to=2026-05-03',
    'to=2026-05-03',
    'since=2026-05-01T11%3A00%3A00.000Z&until=2026-05-02T11%3A00%3A00.000Z',
  ])('survive a round trip through the URL: %s', (address) => {
    expect(writeFilters(read(address))).toBe(address);
    expect(isFiltered(read(address))).toBe(address !== '');
  });

  it('ignore invalid values', () => {
    expect(
      isFiltered(
        read(
          'script=x&state=broken&origin=moon&days=-3&from=yesterday&to=2026-13-01&since=noon&until=2026-99-01T00:00:00.000Z&end=moon&other=1',
        ),
      ),
    ).toBe(false);
    expect(writeFilters(read('state=failed,broken&days=7.5'))).toBe('state=failed');
  });

  it('use whole days in the time zone of the browser', () => {
    const asked = (address: string) => Object.fromEntries(new URLSearchParams(queryOf(read(address), noon)));
    expect(asked('days=1')).toEqual({ since: startOf(10) });
    expect(asked('days=7')).toEqual({ since: startOf(4) });
    expect(asked('from=2026-05-01&to=2026-05-03')).toEqual({ since: startOf(1), until: startOf(4) });
    expect(asked('since=2026-05-01T11:00:00.000Z&end=exit,timeout')).toEqual({
      since: '2026-05-01T11:00:00.000Z',
      end_cause: 'exit,timeout',
    });
    expect(asked('to=2026-05-03&q=x&state=failed')).toEqual({ until: startOf(4), q: 'x', state: 'failed' });
  });

  it('match runs by the same rules as the service', () => {
    const run = someRun({
      script_id: script,
      script_name: 'Resize images',
      state: 'failed',
      origin: 'cli',
      trigger_id: 'nightly-backup',
      queued_at: new Date(2026, 4, 10, 9).toISOString(),
      result: { code: 1, msg: '文件无法读取: Ä.png' },
    });
    const isThere = (address: string) => fits(run, read(address), noon);
    for (const address of ['', 'q=RESIZE', 'q=ä.PNG', 'q=无法', `script=${script}`, 'state=failed,unknown'])
      expect(isThere(address), address).toBe(true);
    for (const address of [
      'trigger=nightly-backup',
      'days=1',
      'from=2026-05-10',
      'to=2026-05-10',
      'origin=cli,link',
      'end=exit',
    ])
      expect(isThere(address), address).toBe(true);
    for (const address of [
      'q=tidy',
      `script=${script.replace('6', '7')}`,
      'state=running',
      'origin=link',
      'end=lost',
      'trigger=nightly',
    ])
      expect(isThere(address), address).toBe(false);
    for (const address of ['from=2026-05-11', 'to=2026-05-09', 'q=resize&state=queued'])
      expect(isThere(address), address).toBe(false);
  });
});
