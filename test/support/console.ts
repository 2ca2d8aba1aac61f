import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

import { type CommandScene, launchScene } from './command-scene.ts';
import { findProgram, has } from './needs.ts';
import { hungMs } from './until.ts';

const executablePath = findProgram('chromium') ?? '';
export const hasChromium = has('chromium', executablePath !== '');

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Browser errors while the service is down. The icon is loaded last and may fail too. */
export const isAway = /net::ERR_\w+ \S+\/(api\/|icon\.svg$)/;
/** Accessibility violations with these impacts fail a test. */
const failing = new Set(['serious', 'critical']);

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** A service and a browser for a test file. */
export interface ConsoleScene extends CommandScene {
  /** Opens a page of the console, in English and in the light theme by default. */
  open(path?: string, look?: BrowserContextOptions): Promise<ConsolePage>;
}

export interface ConsolePage {
  readonly page: Page;
  /** Fails on serious accessibility violations. */
  checkAccess(): Promise<void>;
  /** Declares an expected browser error. Browsers log every failed request with its URL. */
  expects(complaint: RegExp): void;
  /** Closes the page. Fails on unexpected errors, and if an expected error did not occur. */
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
  // A generous limit, because the machine may be busy.
  context.setDefaultTimeout(hungMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const expected: RegExp[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(address);
  return {
    page,
    async checkAccess() {
      // Evaluated through the debugger, because the policy of the page blocks injected scripts.
      await page.evaluate(await readFile(axe, 'utf8'));
      const findings = await page.evaluate(async (): Promise<Finding[]> => {
        const checker = Reflect.get(globalThis, 'axe') as { run(): Promise<{ violations: Finding[] }> };
        return (await checker.run()).violations;
      });
      const found = findings.filter(({ impact }) => failing.has(impact));
      expect(
        found.map(({ id, nodes }) => ({
          id,
          nodes: nodes.map(({ failureSummary, html }) => [html, failureSummary]),
        })),
      ).toEqual([]);
    },
    expects(complaint) {
      expected.push(complaint);
    },
    async close() {
      await context.close();
      expect(complaints.filter((each) => !expected.some((pattern) => pattern.test(each)))).toEqual([]);
      expect(expected.filter((pattern) => !complaints.some((each) => pattern.test(each)))).toEqual([]);
    },
  };
}
