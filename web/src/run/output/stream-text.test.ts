import { expect, it } from 'vitest';

import { KnownStyles } from './stream-text.ts';

it('returns the same object for equal styles that result from different sequences', () => {
  const styles = new KnownStyles();
  const red = styles.after(null, '31');
  const blue = styles.after(red, '34');
  expect(red).toMatchObject({ ink: 1 });
  expect(blue).toMatchObject({ ink: 4 });
  expect(styles.after(blue, '31')).toBe(red);
  expect(styles.after(styles.after(blue, '1'), '22;31')).toBe(red);
  expect(styles.after(red, '0')).toBeNull();
});
