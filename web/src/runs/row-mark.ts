/** The attribute with the run id, by which rows are found for keyboard navigation. */
export const rowMark = 'data-run-row';
