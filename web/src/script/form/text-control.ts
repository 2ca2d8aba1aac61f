import type { Param } from '../../api/wire.ts';

/** The props of text fields. */
export interface TextControl {
  readonly param: Param;
  readonly text: string;
  readonly error: string | null;
  readonly onChange: (text: string) => void;
}
