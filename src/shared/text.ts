/** Text for people, in both languages of Hob. */
export interface Text {
  readonly en: string;
  readonly zh: string;
}

export type Language = keyof Text;

/** A text that is the same in both languages, such as one fixed by the interface. */
export function fixedText(text: string): Text {
  return { en: text, zh: text };
}
