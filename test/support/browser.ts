import { afterEach, beforeAll, expect } from '@jest/globals';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

import { stackForAll } from './suite-service.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The Chromium of Debian; if it is missing, install the package chromium. */
const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  ...'--no-sandbox --no-first-run --disable-gpu --disable-quic --disable-sync'.split(' '),
  ...'--disable-background-networking --disable-component-update'.split(' '),
];

/** A browser with a profile of its own. */
export class Browser {
  context!: BrowserContext;

  /** Opens a page. @returns the page, with its complaints and requests */
  async visit(url: string) {
    const page = await this.context.newPage();
    /** Messages and errors of scripts, including violations of the Content-Security-Policy. */
    const complaints: string[] = [];
    /** Every URL that the page requested. */
    const requested: string[] = [];
    page
      .on('console', (message) => complaints.push(message.text()))
      .on('pageerror', (error) => complaints.push(error.message))
      .on('dialog', (dialog) => {
        complaints.push(dialog.message());
        void dialog.dismiss();
      })
      .on('request', (request) => requested.push(request.url()));
    await page.goto(url);
    return { page, complaints, requested };
  }
}

/**
 * Starts a browser for the tests of a file, and closes the visited pages after each test.
 *
 * @param size of the windows, in pixels; the colour scheme is light at first
 */
export function browserForAll(size = { width: 880, height: 960 }): Browser {
  const browser = new Browser();
  const stack = stackForAll();
  const folder = stack.use(temporaryFolder());
  beforeAll(async () => {
    browser.context = await chromium.launchPersistentContext(folder.path, {
      executablePath: CHROMIUM,
      headless: true,
      args: FLAGS,
      viewport: size,
      colorScheme: 'light',
    });
    stack.defer(() => browser.context.close());
  });
  afterEach(async () => {
    for (const page of browser.context.pages().slice(1)) await page.close();
  });
  return browser;
}

/** Returns the background colour, and the number of pixels by which the page exceeds the window's width. */
export function lookOf(page: Page): Promise<{ readonly paper: string; readonly overflow: number }> {
  return page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as any;
    return {
      paper: getComputedStyle(document.body).backgroundColor,
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    };
  });
}

/** Throws unless the page fits a phone, and is dark if the user prefers a dark scheme. */
export async function expectFitting(page: Page): Promise<void> {
  const light = await lookOf(page);
  await page.setViewportSize({ width: 320, height: 700 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await lookOf(page);
  expect([light.overflow, dark.overflow]).toEqual([0, 0]);
  expect(dark.paper).not.toBe(light.paper);
}

/** Returns words of letters that are broken over two lines, except for ids and foreign names. */
export function brokenWords(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { document, NodeFilter } = globalThis as any;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      for (const { 0: word, index } of node.data.matchAll(/[A-Za-z]{3,}/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const isMeant = node.parentElement.closest('thead, .copyable, bdi') === null;
        if (isMeant && range.getClientRects().length > 1) broken.push(word);
      }
    }
    return broken;
  });
}
