/** By this a row is found that the keyboard moves to; it has the id of the run. */
export const rowMark = 'data-run-row';
