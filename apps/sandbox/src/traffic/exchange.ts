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
  /** Requests that ended without a complete answer: reset, cut off, or abandoned by their sender. */
  unanswered = 0;
  readonly faults: Record<string, number> = {};
}

/** One request to the platform, and what became of it. */
export interface Exchange {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly receivedAtMs: number;
  readonly planned: PlannedFaults;
  /** The counters of its operation at the time of its arrival; a reset starts new ones. */
  readonly counters: OperationCounters;
  /** The body as it arrived; empty until it has been read. */
  body: Buffer;
  verdict: Verdict;
  /** Set once the signature has been verified. */
  call?: Call<Parameters>;
  /** The status of a complete answer. */
  status?: number;
  /** The beginning of the answer, without tokens; set when the sandbox answers. */
  answer?: { readonly contentType: string; readonly body: string };
  /** Set once the request has ended. */
  durationMs?: number;
}

/** What the sandbox made of a signature; it holds no secret key and no digest. */
export interface Verdict {
  readonly state: 'signature right' | 'signature wrong' | 'not signed' | 'not looked at';
  readonly reason: string;
  /** The settings with which a wrong signature would be right, if they differ from the client's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What must be signed, before the secret key is appended. */
  readonly canonical?: string;
}

/** A request whose client is verified; its content is a form, or the JSON:API document of open-game. */
export interface Call<Content extends Parameters = TextParameters> {
  readonly client: Client;
  readonly query: TextParameters;
  readonly content: Content;
  readonly fault: OtherFault | undefined;
}

/** A request to the platform has an exchange, which the traffic middleware attached. */
export type SandboxRequest = Request & { exchange?: Exchange };

/** Injects the verified call into a handler behind the signature guard. */
export const VerifiedCall = createParamDecorator(
  (_, context) => context.switchToHttp().getRequest<SandboxRequest>().exchange?.call,
);

/**
 * Reads the bytes of a body, whatever the method: the rake read is a GET with a form.
 * @returns undefined if the sender disconnected first
 * @throws PlatformError 413 past 1 MiB
 */
export async function readBody(request: Request): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // the rest is still read, and dropped, so that the sender can read the refusal
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  if (bytes > MAX_BODY_BYTES) throw new PlatformError(413);
  return Buffer.concat(chunks);
}
