import type { PlatformErrorEntry } from '#contracts';

const MAX_ENTRIES = 20;

/** The errors of a JSON:API error document, as they came; `undefined` if the text is not such a document. */
export function readErrors(text: string): PlatformErrorEntry[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const errors = memberOf(document, 'errors');
  return Array.isArray(errors) ? errors.slice(0, MAX_ENTRIES).map(readEntry) : undefined;
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

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
