/** Text to be read and copied, as it is. A field, so that it can be scrolled and selected from the keyboard. */
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
