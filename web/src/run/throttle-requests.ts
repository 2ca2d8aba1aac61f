interface Asking {
  /** Requests a new answer, because the last one is out of date. */
  readonly request: () => void;
  readonly stop: () => void;
}

/**
 * Throttles repeated requests: at most one every `everyMs`, and never two at a time. A change during a request may be missing in its answer,
 * so the request is repeated afterwards.
 */
export function throttleRequests(ask: () => Promise<unknown>, everyMs: number): Asking {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isRequested = false;
  let isStopped = false;
  const request = () => {
    isRequested = true;
    if (!isAsking && !isStopped) timer ??= setTimeout(turn, everyMs);
  };
  const turn = async () => {
    timer = undefined;
    isAsking = true;
    isRequested = false;
    try {
      await ask();
    } finally {
      isAsking = false;
      if (isRequested) request();
    }
  };
  return {
    request,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
