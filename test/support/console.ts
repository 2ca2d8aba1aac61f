import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

import { type CommandScene, launchScene } from './command-scene.ts';
import { findProgram, has } from './needs.ts';

const executablePath = findProgram('chromium') ?? '';
export const hasChromium = has('chromium', executablePath !== '');

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** What makes a page hard or impossible to use for somebody. */
const grave = new Set(['serious', 'critical']);

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** A service with a browser beside it, for a whole file of tests. */
export interface ConsoleScene extends CommandScene {
  /** Opens a page of the console, in English and light unless `look` says otherwise. */
  open(path?: string, look?: BrowserContextOptions): Promise<ConsolePage>;
}

export interface ConsolePage {
  readonly page: Page;
  /** Fails if anybody would be kept from using what is shown. */
  checkAccess(): Promise<void>;
  /** Fails if the page complained of anything, and closes it. */
  close(): Promise<void>;
}

export async function launchConsole(
  writeScripts: (scripts: string) => Promise<void>,
  settings = '',
  env: Record<string, string> = {},
): Promise<ConsoleScene> {
  const scene = await launchScene(writeScripts, settings, env);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    ...scene,
    open: (path = '/', look = {}) => openPage(browser, scene.hob.url + path, look),
    async stop() {
      await browser.close();
      await scene.stop();
    },
  };
}

async function openPage(
  browser: Browser,
  address: string,
  look: BrowserContextOptions,
): Promise<ConsolePage> {
  const context = await browser.newContext({ locale: 'en-US', colorScheme: 'light', ...look });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // That the service was away, or refused, is for the page to tell its user; that a request failed the browser always says.
    const isAway = message.text().includes('net::ERR_');
    const { url } = message.location();
    const isRefusal = message.text().includes('status of 4') && (url.includes('/api/') || url === page.url());
    if ((message.type() === 'error' || message.type() === 'warning') && !isAway && !isRefusal)
      complaints.push(message.text());
  });
  await page.goto(address);
  return {
    page,
    async checkAccess() {
      // By the way of the debugger, as a person's extension would: the policy of the page lets nobody else in.
      await page.evaluate(await readFile(axe, 'utf8'));
      const findings = await page.evaluate(async (): Promise<Finding[]> => {
        const checker = Reflect.get(globalThis, 'axe') as { run(): Promise<{ violations: Finding[] }> };
        return (await checker.run()).violations;
      });
      const found = findings.filter(({ impact }) => grave.has(impact));
      expect(
        found.map(({ id, nodes }) => ({
          id,
          nodes: nodes.map(({ failureSummary, html }) => [html, failureSummary]),
        })),
      ).toEqual([]);
    },
    async close() {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}
