import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { sendAnswer } from '../json-api/send-answer.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";
const HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** A part of a page, or a whole one. */
export interface Page {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Further directives of the Content-Security-Policy, which allows scripts, styles and images of this origin alone. */
  readonly policy?: string;
}

export const HTML = 'text/html; charset=utf-8';

/** Sends a page with the headers that keep it to itself. */
export function sendPage(response: ServerResponse, { status = 200, contentType, body, policy }: Page): void {
  const headers = { 'content-security-policy': [POLICY, policy].filter(Boolean).join('; '), ...HEADERS };
  sendAnswer(response, { status, contentType, body, headers });
}

/** A style, a script or an image that lies beside a module. */
export function asset(name: string, module: string): Page {
  return { contentType: typeOf(name), body: readFileSync(new URL(name, module)) };
}

function typeOf(name: string): string {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8';
  return name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'image/svg+xml';
}
