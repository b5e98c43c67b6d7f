import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { explainSignature } from '#signing';
import { JSON_API, PlatformError } from '../interface/documents.ts';
import { isObject } from '../interface/members.ts';
import type { Client } from '../settings/clients.ts';
import { Settings } from '../settings/settings.ts';
import {
  expectedSignature,
  formParameters,
  hasMediaType,
  isSameSignature,
  queryParameters,
  type SignedContent,
  signedText,
  type TextParameters,
} from '../signature/signature.ts';
import { parseJson } from '../signature/php-json.ts';
import type { Call, Exchange, Refusal, SandboxRequest } from './exchange.ts';

/** Beyond it the search for a mistake would slow other requests. */
const MAX_EXPLAINED_BYTES = 16_384;

/** The 400 for a missing or wrong signature, in the words of the endpoint; the exchange keeps the reason. */
function rejection(exchange: Exchange, refusal: Refusal): PlatformError {
  exchange.refusal = refusal;
  const detail = exchange.operation === 'open-game' ? 'Not valid request' : 'Not Valid Request Signature';
  return new PlatformError(400, { detail, meta: { explanation: refusal } });
}

/**
 * Accepts a request if its client is known and its `sign` header is right, and attaches the verified call.
 * Open-game without a signature is accepted if the client has no secret key.
 * @throws PlatformError 400 for a missing or wrong signature, 403 for an operation that the client is not
 *   permitted, 415 for an open-game body of another media type
 */
@Injectable()
export class SignatureGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<SandboxRequest>();
    const { exchange } = request;
    if (!exchange) throw new PlatformError(404);
    exchange.call = this.callOf(request, exchange);
    if (!exchange.call.client.operations.has(exchange.operation)) throw new PlatformError(403);
    return true;
  }

  private callOf(request: SandboxRequest, exchange: Exchange): Call {
    const { body, operation } = exchange;
    const version = operation === 'open-game' ? 'v3' : 'v2';
    const isOf = (mediaType: string) => hasMediaType(request.headers['content-type'], mediaType);
    if (version === 'v3' && !isOf(JSON_API)) throw new PlatformError(415);
    const query = queryParameters(request.originalUrl);
    const client = this.findClient(exchange, version === 'v2' ? 'clientId' : 'client', query);
    if (version === 'v2' && client.secretKey === undefined)
      throw rejection(exchange, {
        reason: 'This client has no secret key, which the v2 endpoints need.',
      });

    const form = isOf('application/x-www-form-urlencoded') ? formParameters(body.toString()) : {};
    const content = version === 'v2' ? form : parseJson(body.toString())?.value;
    if (!isObject(content)) throw new PlatformError(400, { detail: 'The body is not a JSON:API document' });
    if (operation === 'session' && content['userId'] !== request.params?.['userId'])
      throw rejection(exchange, {
        reason: 'The form must hold userId with the same value as the path.',
      });
    const signed = { version, parameters: { ...query, ...content }, body } as const;
    this.verify(exchange, request.headers['sign'], client, signed);
    return { client, query, content, signed, fault: exchange.planned.fault };
  }

  private findClient(exchange: Exchange, name: 'clientId' | 'client', query: TextParameters): Client {
    const id = query[name];
    if (id === undefined) throw rejection(exchange, { reason: `The query parameter ${name} is missing.` });
    const client = this.settings.clients.find((each) => each.id === id);
    if (!client) throw rejection(exchange, { reason: `There is no client of the ${name} that was sent.` });
    return client;
  }

  private verify(exchange: Exchange, sign: unknown, client: Client, content: SignedContent): void {
    const { secretKey } = client;
    if (secretKey === undefined) return;
    if (typeof sign !== 'string') throw rejection(exchange, { reason: 'The header sign is missing.' });
    if (isSameSignature(sign, expectedSignature(content, secretKey, client.conventions))) return;
    throw rejection(exchange, this.explain(sign, content, { ...client, secretKey }));
  }

  /** Says what gives the signature that was sent; it shows neither a secret key nor a correct digest. */
  private explain(
    sent: string,
    content: SignedContent,
    { id, secretKey, conventions }: Client & { readonly secretKey: string },
  ): Refusal {
    const { version, parameters, body } = content;
    if (body.length > MAX_EXPLAINED_BYTES)
      return { reason: 'The signature is wrong; the request is too large to look for the mistake.' };
    const others = this.settings.clients.filter((client) => client.id !== id);
    const explanation = explainSignature({
      sent,
      request: { parameters, ...(version === 'v3' && { body: body.toString() }) },
      settings: conventions,
      secretKey,
      otherSecretKeys: new Map(
        others.flatMap((client) => (client.secretKey ? [[client.id, client.secretKey]] : [])),
      ),
    });
    return { ...explanation, canonical: signedText(content, conventions) };
  }
}
