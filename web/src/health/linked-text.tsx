const address = /(https:\/\/[^\s()，。]+)/;

/** Turns the URLs in a text into links. */
export function LinkedText({ text }: { text: string }) {
  return text.split(address).map((piece) =>
    address.test(piece) ? (
      <a
        key={piece}
        href={piece}
        target="_blank"
        rel="noreferrer"
        className="break-all text-accent underline underline-offset-2"
      >
        {piece}
      </a>
    ) : (
      piece
    ),
  );
}
