import { createParamDecorator } from '@nestjs/common';
import type { Request } from 'express';
import type { PlannedFaults } from '../faults/fault-rules.ts';
import type { OtherFault } from '../faults/faults.ts';
import { type Operation, PlatformError } from '../interface/documents.ts';
import type { Client } from '../settings/clients.ts';
import type { Parameters, TextParameters } from '../signature/signature.ts';

/** A limit far above any request of the interface. */
const MAX_BODY_BYTES = 1_048_576;

export class OperationCounters {
  received = 0;
  /** The platform processed the request, even if the answer was lost. */
  processed = 0;
  /** Complete answers by status. */
  readonly answered: Record<string, number> = {};
  /** Requests that ended without a complete answer: reset, truncated, or aborted by the client. */
  unanswered = 0;
  readonly faults: Record<string, number> = {};
}

/** One request to the platform, with its outcome. */
export interface Exchange {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly receivedAtMs: number;
  readonly planned: PlannedFaults;
  /** The counters of its operation when it arrived. A reset creates new counters. */
  readonly counters: OperationCounters;
  /** The raw body. Empty until it has been read. */
  body: Buffer;
  verdict: Verdict;
  /** Set once the signature has been verified. */
  call?: Call<Parameters>;
  /** The status of a complete answer. */
  status?: number;
  /** The beginning of the answer, without tokens. Set when the sandbox answers. */
  answer?: { readonly contentType: string; readonly body: string };
  /** Set once the request has ended. */
  durationMs?: number;
}

/** The result of checking a signature. It contains no secret key and no digest. */
export interface Verdict {
  readonly state: 'signature right' | 'signature wrong' | 'not signed' | 'not looked at';
  readonly reason: string;
  /** The settings with which a wrong signature would be valid, if they differ from the client's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The string to sign, before the secret key is appended. */
  readonly canonical?: string;
}

/** A request with a verified client. Its content is a form, or the JSON:API document of open-game. */
export interface Call<Content extends Parameters = TextParameters> {
  readonly client: Client;
  readonly query: TextParameters;
  readonly content: Content;
  readonly fault: OtherFault | undefined;
}

/** A request to the platform, to which the traffic middleware has attached an exchange. */
export type SandboxRequest = Request & { exchange?: Exchange };

/** Injects the verified call into a handler behind the signature guard. */
export const VerifiedCall = createParamDecorator(
  (_, context) => context.switchToHttp().getRequest<SandboxRequest>().exchange?.call,
);

/**
 * Reads the bytes of a body for any method, because the rake report is requested by a GET with a form.
 * @returns undefined if the sender disconnected first
 * @throws PlatformError 413 if the body exceeds 1 MiB
 */
export async function readBody(request: Request): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // the rest is still read and discarded, so that the client can read the refusal
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  if (bytes > MAX_BODY_BYTES) throw new PlatformError(413);
  return Buffer.concat(chunks);
}
