import type { BriefRun } from '../../runs/run-record.ts';
import { describeDuration } from '../../shared/describe-duration.ts';
import type { Language, Text } from '../../shared/text.ts';
import type { OutputTail } from '../output/read-tail.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';
import { causeWords, labels, stateWords } from './run-words.ts';

interface RunPageParts {
  readonly run: BriefRun;
  readonly stdout: OutputTail;
  readonly stderr: OutputTail;
  /** What Hob has to say about it. */
  readonly notes: string;
  readonly language: Language;
  readonly now: Date;
}

const refreshS = 2;

/** One run, as a person wants to see it. */
export function runPage({ run, stdout, stderr, notes, language, now }: RunPageParts): Page {
  const say = (text: Text) => text[language];
  const isLive = run.endedAt === null;
  const path = `/api/runs/${run.runId}`;
  const output = outputPart(labels.stdout, stdout, isLive, language);
  // What went wrong is what the reader of a failure looks for.
  const errors = outputPart(labels.stderr, stderr, isLive, language);
  return {
    title: `${say(stateWords[run.state])} · ${run.scriptName}`,
    language,
    refreshS: isLive ? refreshS : null,
    body: html`<h1>${run.scriptName}</h1>
<span class="state ${run.state}">${say(stateWords[run.state])}</span>
${run.message ? html`<p class="message ${run.state}">${run.message}</p>` : null}
<dl>
${factsOf(run, language, now).map(([label, value]) => html`<dt>${say(label)}</dt><dd>${value}</dd>\n`)}</dl>
${notesOf(notes).map((note) => html`<p class="quiet">${note}</p>\n`)}${isLive ? html`<p class="quiet">${say(labels.refreshed)}</p>` : null}
${run.state === 'failed' ? [errors, output] : [output, errors]}
<nav>
<a href="${path}/stdout">${say(labels.wholeStdout)}</a>
<a href="${path}/stderr">${say(labels.wholeStderr)}</a>
<a href="${path}">${say(labels.record)}</a>
</nav>`,
  };
}

export function unknownRunPage(runId: string, language: Language): Page {
  const say = (text: Text) => text[language];
  return {
    title: say(labels.unknownTitle),
    language,
    refreshS: null,
    body: html`<h1>${say(labels.unknownTitle)}</h1>
<p>${say(labels.unknownText)}</p>
<dl><dt>${say(labels.run)}</dt><dd>${runId}</dd></dl>
<nav><a href="/api/runs">${say(labels.allRuns)}</a></nav>`,
  };
}

function factsOf(run: BriefRun, language: Language, now: Date): [Text, Html | string][] {
  const { endCause, exitCode, queuedAt, startedAt, endedAt, durationMs } = run;
  const time = (at: string) => html`<time datetime="${at}">${localTime(at, language)}</time>`;
  const facts: [Text, Html | string | null][] = [
    [labels.cause, endCause && causeWords[endCause][language]],
    [labels.exitCode, exitCode === null ? null : String(exitCode)],
    [labels.queued, time(queuedAt)],
    [labels.started, startedAt && time(startedAt)],
    [labels.ended, endedAt && time(endedAt)],
    [labels.duration, durationMs === null ? null : describeDuration(durationMs)[language]],
    [labels.soFar, endedAt === null && startedAt !== null ? elapsed(startedAt, now)[language] : null],
    [labels.run, run.runId],
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : [[label, value]]));
}

/** Without their times: what there is to say is about the run as a whole. */
function notesOf(notes: string): string[] {
  return notes.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/^\S+ /, '')]));
}

function outputPart(label: Text, tail: OutputTail, isLive: boolean, language: Language): Html {
  const heading = (note: string) => html`<h2>${label[language]}<small>${note}</small></h2>`;
  if (tail.bytes === 0) return html`${heading('')}<p class="quiet">${emptyWord(isLive)[language]}</p>`;
  if (tail.text === '' && tail.isCut)
    return html`${heading(sizeOf(tail, language))}<p class="quiet">${labels.notKept[language]}</p>`;
  // The parser drops a line break that comes first.
  return html`${heading(sizeOf(tail, language))}<div class="tail" tabindex="0"><pre>\n${tail.text}</pre></div>`;
}

function emptyWord(isLive: boolean): Text {
  return isLive ? labels.nothingYet : labels.nothing;
}

function sizeOf({ bytes, isCut }: OutputTail, language: Language): string {
  const size = new Intl.NumberFormat(language).format(bytes);
  const words: Text = isCut
    ? { en: `the last lines of ${size} bytes`, zh: `共 ${size} 字节，仅显示末尾` }
    : { en: `${size} bytes`, zh: `${size} 字节` };
  return words[language];
}

function elapsed(startedAt: string, now: Date): Text {
  return describeDuration(Math.max(0, now.getTime() - Date.parse(startedAt)));
}

/** The time of this machine, which is that of the person at the desk. */
function localTime(at: string, language: Language): string {
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(new Date(at));
}
