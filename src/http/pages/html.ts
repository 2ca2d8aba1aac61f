/** Text that is HTML already. Everything else is escaped where it is put into a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = Html | string | number | null | readonly Content[];

/** Writes HTML. What is put into it is shown as it is, whatever is in it, also between the quotes of an attribute. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(parts.map((part, index) => part + write(contents[index] ?? null)).join(''));
}

function write(content: Content): string {
  if (content === null) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escapeHtml(content);
  return content.map(write).join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}
