interface Asking {
  /** Something has happened, so the answer is out of date. */
  readonly want: () => void;
  readonly stop: () => void;
}

/**
 * Asks again after what has happened: no more often than `everyMs`, and never before the last answer has come. Whatever happens while one
 * is on its way may be missing in it, so that it is asked for once more.
 */
export function askInTurn(ask: () => Promise<unknown>, everyMs: number): Asking {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isWanted = false;
  let isStopped = false;
  const want = () => {
    isWanted = true;
    if (!isAsking && !isStopped) timer ??= setTimeout(turn, everyMs);
  };
  const turn = async () => {
    timer = undefined;
    isAsking = true;
    isWanted = false;
    try {
      await ask();
    } finally {
      isAsking = false;
      if (isWanted) want();
    }
  };
  return {
    want,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
