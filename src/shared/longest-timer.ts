/** The longest delay a timer takes; a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
