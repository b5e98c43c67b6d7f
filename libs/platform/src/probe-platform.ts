import { askOnce } from './ask-once.ts';
import type { PlatformTransport } from './platform-settings.ts';

/** Whether an address of the platform answers at all, and what its clock says. */
export type PlatformProbe =
  /** `clockSkewMs`: how far the platform's clock is ahead of ours, to a second; absent if it does not tell. */
  | { readonly kind: 'answer'; readonly status: number; readonly clockSkewMs?: number }
  /** `code` is that of Node.js or undici, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** Asks for the root of an address, unsigned, over a connection of its own. */
export async function probePlatform(
  root: string,
  transport: PlatformTransport,
  nowMs: () => number = Date.now,
): Promise<PlatformProbe> {
  try {
    const askedAtMs = nowMs();
    const { status, headers } = await askOnce({ root, method: 'GET' }, transport);
    const halfwayMs = (askedAtMs + nowMs()) / 2;
    const dateMs = Date.parse(String(headers['date'] ?? ''));
    return {
      kind: 'answer',
      status,
      ...(Number.isFinite(dateMs) && { clockSkewMs: dateMs - halfwayMs }),
    };
  } catch (error) {
    return { kind: 'no-answer', code: faultCodeOf(error) };
  }
}

/** The code of Node.js or undici of a failed request. */
export function faultCodeOf(error: unknown): string {
  // Node.js gives one error for all addresses of a name.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = first as NodeJS.ErrnoException;
  return code ?? name;
}
