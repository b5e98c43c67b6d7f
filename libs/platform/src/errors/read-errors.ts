import type { PlatformAnswer, PlatformErrorEntry } from '#contracts';

import { Redactor } from './redactor.ts';

/** What the body of an answer is, if it is no error document of the platform. */
export type ForeignBody = 'html' | 'text' | 'json';

/** The body of an answer that is no success. */
export interface ErrorBody {
  /** As they came. */
  readonly entries: readonly PlatformErrorEntry[];
  /** Absent for an error document of JSON:API, and for an empty body. */
  readonly foreign?: ForeignBody;
  /** Whether it says no more than that the request is bad, or nothing at all. */
  readonly isBare: boolean;
}

const MAX_ENTRIES = 20;
const BARE = /^(?:bad request\.?)?$/i;

/** @param text `undefined` if it cannot be read */
export function readErrors(text: string | undefined): ErrorBody {
  if (text === undefined) return { entries: [], foreign: 'text', isBare: false };
  const errors = memberOf(parsed(text), 'errors');
  if (Array.isArray(errors)) {
    const entries = errors.slice(0, MAX_ENTRIES).map(readEntry);
    return { entries, isBare: entries.every(isBare) };
  }
  const body = text.trim();
  const [start = ''] = body;
  const foreign = start === '<' ? 'html' : start === '{' || start === '[' ? 'json' : 'text';
  return { entries: [], ...(start !== '' && { foreign }), isBare: BARE.test(body) };
}

/**
 * What may be passed on of an answer that is no success.
 *
 * @param secrets values, at any depth, that none of its texts may repeat
 */
export function redactedAnswer(
  status: number,
  entries: readonly PlatformErrorEntry[],
  secrets: readonly unknown[],
): PlatformAnswer {
  if (entries.length === 0) return { status, errors: [] };
  const redactor = new Redactor(secrets);
  return {
    status,
    errors: entries.map(({ title, detail, pointer, ...entry }) => ({
      ...entry,
      ...(title !== undefined && { title: redactor.redact(title) }),
      ...(detail !== undefined && { detail: redactor.redact(detail) }),
      ...(pointer !== undefined && { pointer: redactor.redactPointer(pointer) }),
    })),
  };
}

function readEntry(error: unknown): PlatformErrorEntry {
  const status = Number(memberOf(error, 'status') ?? Number.NaN);
  const title = memberOf(error, 'title');
  const detail = memberOf(error, 'detail');
  const pointer = memberOf(memberOf(error, 'source'), 'pointer');
  return {
    ...(Number.isSafeInteger(status) && { status }),
    ...(typeof title === 'string' && { title }),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof pointer === 'string' && { pointer }),
  };
}

function isBare({ title = '', detail = '', pointer }: PlatformErrorEntry): boolean {
  return pointer === undefined && BARE.test(title.trim()) && BARE.test(detail.trim());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
