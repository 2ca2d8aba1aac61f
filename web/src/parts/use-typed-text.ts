import { useEffect, useEffectEvent, useState } from 'react';

const settledMs = 200;

/** Text of a field that is mirrored to the URL after a short delay, and follows the URL when that changes. */
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
