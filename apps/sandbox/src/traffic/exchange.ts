import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Client } from '../clients/client.ts';
import type { Explanation } from '../explanation/explain-signature.ts';
import type { PlannedFaults } from '../faults/fault-rules.ts';
import type { Parameters } from '../signature/canonical-string.ts';
import type { TextParameters } from '../signature/request-parameters.ts';
import type { Operation } from '../operations/operation.ts';

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
  refusal?: Explanation;
  /** Called once the platform has processed the request, even if the answer is lost. */
  readonly onProcessed: () => void;
}

/** A request whose client is verified. */
export interface Call {
  readonly client: Client;
  readonly query: TextParameters;
  /** The form, or the JSON:API document, of the body. */
  readonly content: Parameters;
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
