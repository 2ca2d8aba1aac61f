/** The look of a page that is read without the console: text first, in the light or the dark that its reader has chosen. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #22211f; --quiet: #6a6660; --line: #e3dfd8;
  --good: #1c7a46; --bad: #b3261e; --busy: #1f5fa8; --odd: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #191817; --card: #222120; --ink: #ebe8e3; --quiet: #a39d94; --line: #3a3836;
    --good: #6fcf97; --bad: #ff9a8f; --busy: #8ab8ee; --odd: #e5b567;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif;
}
main { max-width: 56rem; margin: 0 auto; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1rem; font-weight: 650; }
h2 small { margin-left: .5rem; color: var(--quiet); font-weight: 400; font-size: .875rem; }
.state { display: inline-block; padding: .1rem .7rem; border: 1px solid; border-radius: 1rem; font-size: .9375rem; font-weight: 600; }
.succeeded { color: var(--good); } .failed { color: var(--bad); } .unknown { color: var(--odd); }
.queued, .running { color: var(--busy); }
.message { margin: 1.25rem 0 0; padding: .75rem 1rem; border-left: 3px solid var(--line); background: var(--card); white-space: pre-wrap; overflow-wrap: anywhere; }
.message.failed { border-color: var(--bad); color: inherit; }
.message.succeeded { border-color: var(--good); color: inherit; }
.message.unknown { border-color: var(--odd); color: inherit; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 1.5rem 0 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
/* Reversed, so that without any script the end of the text is in sight. */
.tail {
  display: flex; flex-direction: column-reverse; max-height: 30rem; overflow: auto;
  border: 1px solid var(--line); border-radius: .375rem; background: var(--card);
}
pre {
  margin: 0; padding: .875rem 1rem;
  font: .8125rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4;
}
.quiet { color: var(--quiet); } p.quiet { margin: .25rem 0; font-size: .9375rem; }
nav { margin-top: 2.25rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9375rem; }
nav a { margin-right: 1.25rem; } a { color: var(--busy); text-underline-offset: .15em; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
`;
