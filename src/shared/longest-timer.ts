/** The longest delay of a timer. A longer one would fire immediately. */
export const longestTimerMs = 2 ** 31 - 1;
