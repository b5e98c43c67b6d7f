import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { PlannedFaults } from '../faults/fault-rules.ts';
import type { OtherFault } from '../faults/faults.ts';
import { type Operation, PlatformError } from '../interface/documents.ts';
import type { Client } from '../settings/clients.ts';
import type { Parameters, SignedContent, TextParameters } from '../signature/signature.ts';

/** Far more than any request of the interface needs. */
const MAX_BODY_BYTES = 1_048_576;

/** One request to the platform on its way through the sandbox. */
export interface Exchange {
  readonly operation: Operation;
  readonly receivedAtMs: number;
  readonly planned: PlannedFaults;
  /** The body as it arrived; empty until it has been read. */
  body: Buffer;
  /** Set once the signature has been verified. */
  call?: Call;
  /** What is wrong with the signature, if it was refused. */
  refusal?: Refusal;
  /** Called once the platform has processed the request, even if the answer is lost. */
  readonly onProcessed: () => void;
}

/** What is wrong with a signature. */
export interface Refusal {
  readonly reason: string;
  /** The settings with which the signature would be right, if they differ from the client's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What must be signed, before the secret key is appended. */
  readonly canonical?: string;
}

/** A request whose client is verified. */
export interface Call {
  readonly client: Client;
  readonly query: TextParameters;
  /** The form, or the JSON:API document, of the body. */
  readonly content: Parameters;
  readonly signed: SignedContent;
  readonly fault?: OtherFault | undefined;
}

/** A request as Nest passes it, with the exchange that the traffic middleware attached. */
export interface SandboxRequest extends IncomingMessage {
  readonly method: string;
  readonly originalUrl: string;
  readonly params?: Readonly<Record<string, string>>;
  exchange?: Exchange;
  /** The parsed body of a request to the control API. */
  body?: unknown;
}

/** Injects the verified call into a handler behind the signature guard. */
export const VerifiedCall = createParamDecorator((_: unknown, context: ExecutionContext): Call => {
  const { exchange } = context.switchToHttp().getRequest<SandboxRequest>();
  if (!exchange?.call) throw new Error('the signature guard has not run');
  return exchange.call;
});

/**
 * Reads the bytes of a body, whatever the method: the rake read is a GET with a form.
 * @returns undefined if the sender disconnected first
 * @throws PlatformError 413 past 1 MiB
 */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk);
      // the rest is still read, and dropped, so that the sender can read the refusal
      request.off('data', take).resume();
      reject(new PlatformError(413));
    };
    request
      .on('data', take)
      .once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      .once('error', () => resolve(undefined))
      .once('close', () => resolve(undefined));
  });
}
