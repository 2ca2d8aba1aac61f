import type { Param } from '../../api/wire.ts';

/** What the fields with a text in them are given. */
export interface TextControl {
  readonly param: Param;
  readonly text: string;
  readonly error: string | null;
  readonly onChange: (text: string) => void;
}
