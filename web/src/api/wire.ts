/** The types of the interface. Pages import them from here. */
export type * from '../../../src/contract/types.ts';
