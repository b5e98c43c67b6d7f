import { Client } from 'undici';

const TIMEOUT_MS = 5_000;

/** Whether an address of the platform answers at all, and what its clock says. */
export type PlatformProbe =
  /** `clockSkewMs`: how far the platform's clock is ahead of ours, to a second; absent if it does not tell. */
  | { readonly kind: 'answer'; readonly status: number; readonly clockSkewMs?: number }
  /** `code` is that of Node.js or undici, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  | { readonly kind: 'no-answer'; readonly code: string };

/** Asks for the root of an address, unsigned, over a connection of its own. */
export async function probePlatform(root: string, nowMs: () => number = Date.now): Promise<PlatformProbe> {
  const { origin, pathname } = new URL(root);
  const client = new Client(origin, { connect: { timeout: TIMEOUT_MS } });
  try {
    const askedAtMs = nowMs();
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: pathname,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const halfwayMs = (askedAtMs + nowMs()) / 2;
    await body.dump();
    const dateMs = Date.parse(String(headers['date'] ?? ''));
    return {
      kind: 'answer',
      status: statusCode,
      ...(Number.isFinite(dateMs) && { clockSkewMs: dateMs - halfwayMs }),
    };
  } catch (error) {
    return { kind: 'no-answer', code: codeOf(error) };
  } finally {
    await client.destroy();
  }
}

function codeOf(error: unknown): string {
  // Node.js gives one error for all addresses of a name.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, name } = first as NodeJS.ErrnoException;
  return code ?? name;
}
