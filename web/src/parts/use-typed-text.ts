import { useEffect, useEffectEvent, useState } from 'react';

const settledMs = 200;

/** What is typed, at once here and a moment later in the address; what the address says, when that changes by itself. */
export function useTypedText(
  inAddress: string,
  write: (text: string) => void,
): [string, (text: string) => void] {
  const [text, setText] = useState(inAddress);
  const [seen, setSeen] = useState(inAddress);
  if (seen !== inAddress) {
    setSeen(inAddress);
    setText(inAddress);
  }
  const settle = useEffectEvent(() => write(text));
  useEffect(() => {
    if (text === inAddress) return;
    const timer = setTimeout(settle, settledMs);
    return () => clearTimeout(timer);
  }, [text, inAddress]);
  return [text, setText];
}
