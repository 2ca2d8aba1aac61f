import { createHash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

import type { Language } from '../../shared/text.ts';
import { Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';

export interface Page {
  readonly title: string;
  readonly language: Language;
  readonly body: Html;
  /** How soon it is to be looked at again by itself; null: never. */
  readonly refreshS: number | null;
}

/** Answers with a page that runs nothing, loads nothing and is in no frame. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy(),
      'content-language': page.language,
      'referrer-policy': 'no-referrer',
      vary: 'accept-language',
    })
    .send(writePage(page).text);
}

function writePage({ title, language, body, refreshS }: Page): Html {
  return html`<!doctype html>
<html lang="${language === 'zh' ? 'zh-Hans' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refreshS === null ? null : html`<meta http-equiv="refresh" content="${refreshS}">\n`}<title>${title}</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Whatever a script has put into its output or its name could do nothing, even if it were not escaped. */
function pagePolicy(): string {
  const style = createHash('sha256').update(pageStyle).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${style}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
