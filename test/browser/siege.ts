import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { onTestFinished } from 'vitest';

import { type Attacker, attackHtml, attackScripts } from './attacker.ts';
import { type Exchange, readNetLog } from './net-log.ts';
import type { Place, Targets, Vector } from './vector.ts';
import { planVolleys, type Volley } from './volleys.ts';

interface SiegeOptions {
  readonly executablePath: string;
  readonly attacker: Attacker;
  readonly targets: Targets;
  readonly scriptId: string;
  readonly vectors: readonly Vector[];
  /** A folder for files of the browser. */
  readonly folder: string;
  /** Whether the browser treats the attacker as a public site and blocks its access to the local network. */
  readonly isGuarded: boolean;
  /** Waits until all requests have arrived. */
  readonly quiet: () => Promise<void>;
}

const pagesAtOnce = 4;
const leaveWithinMs = 30_000;

/** Fires every vector at every target in a browser. Returns all requests of the browser with their responses. */
export async function besiege(options: SiegeOptions): Promise<Exchange[]> {
  const { executablePath, attacker, isGuarded, vectors, targets } = options;
  const netLog = join(options.folder, 'net-log.json');
  const browser = await startBrowser(executablePath, [
    `--log-net-log=${netLog}`,
    ...(isGuarded ? [`--ip-address-space-overrides=127.0.0.1:${attacker.port}=public`] : []),
  ]);
  const context = await browser.newContext();
  const volleys = planVolleys(vectors, targets);
  await Promise.all(Array.from({ length: pagesAtOnce }, () => fireAll(context, volleys, options)));
  await options.quiet();
  // The log is complete only after the browser has exited.
  await browser.close();
  return readNetLog(netLog);
}

/** Starts a browser that is closed when the test ends. */
export async function startBrowser(executablePath: string, args: readonly string[] = []) {
  // Block the browser's own requests to its vendor.
  const names = ['MAP *.test 127.0.0.1', 'MAP *.google.com ~NOTFOUND', 'MAP *.googleapis.com ~NOTFOUND'];
  const browser = await chromium.launch({
    executablePath,
    args: [`--host-resolver-rules=${names.join(', ')}`, ...args],
  });
  onTestFinished(() => browser.close());
  return browser;
}

/** Fires one volley after the other. Finished pages stay open, because they may still send in the background. */
async function fireAll(context: BrowserContext, volleys: Volley[], options: SiegeOptions): Promise<void> {
  let used: Page | null = null;
  for (let volley = volleys.shift(); volley !== undefined; volley = volleys.shift()) {
    const [{ leaves = false }] = volley.vectors;
    const page: Page = leaves && used !== null ? used : await context.newPage();
    await fire(page, volley, options);
    used = leaves ? page : null;
  }
}

async function fire(page: Page, volley: Volley, options: SiegeOptions): Promise<void> {
  const { attacker, scriptId } = options;
  const { id, place, vectors, targets } = volley;
  const [first] = vectors;
  const urls = Object.values(targets).map((origin) => `${origin}/api/execute?vector=${first.name}`);
  const given = { page: id, home: homeOf(place, attacker), targets, scriptId };
  const scripts = await attackScripts(given, vectors);
  const html = attackHtml(first.head?.(urls) ?? '', scripts);
  attacker.pages.set(id, { html, headers: first.headers?.(urls) ?? {} });
  const over = first.leaves === true ? left(page, first.name) : attacker.through(id);
  if (place === 'rebound') {
    // A rebound page was loaded while its name still resolved to the attacker. It has the origin of the target now, so its
    // scripts are injected into a document of that origin: a response of the target itself.
    await page.goto(`${Object.values(targets)[0]}/api/health?vector=rebound-page`);
    for (const content of scripts) await page.addScriptTag({ content });
  } else if (place === 'file') {
    const path = join(options.folder, `${id}.html`);
    await writeFile(path, html);
    await page.goto(pathToFileURL(path).href);
  } else {
    await page.goto(`${given.home}/${id}`, { waitUntil: 'commit' });
  }
  await over;
}

function homeOf(place: Place, { port }: Attacker): string {
  if (place === 'neighbour') return `http://127.0.0.1:${port}`;
  return place === 'neighbour-by-name' ? `http://localhost:${port}` : `http://evil.test:${port}`;
}

/** Waits until the navigation of the vector has finished or failed. */
async function left(page: Page, vector: string): Promise<void> {
  const predicate = (request: Request) => new URL(request.url()).searchParams.get('vector') === vector;
  const options = { predicate, timeout: leaveWithinMs };
  await Promise.race([
    page.waitForEvent('requestfinished', options),
    page.waitForEvent('requestfailed', options),
  ]);
}
