/** Read-only text. A textarea, so that the keyboard can scroll and select it. */
export function CodeBox({ label, text }: { label: string; text: string }) {
  return (
    <textarea
      readOnly
      aria-label={label}
      value={text}
      spellCheck={false}
      wrap="off"
      className="block max-h-[50dvh] w-full field-sizing-content resize-none overflow-auto rounded-lg border border-line bg-canvas p-3 font-mono text-[13px] -outline-offset-2"
    />
  );
}
