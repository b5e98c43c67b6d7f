import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { explainSignature } from '#signing';
import { JSON_API, PlatformError } from '../interface/documents.ts';
import { isObject } from '../interface/members.ts';
import { Settings } from '../settings/settings.ts';
import {
  formParameters,
  isSignature,
  type Parameters,
  queryParameters,
  signedContent,
} from '../signature/signature.ts';
import { parseJson } from '../signature/php-json.ts';
import type { Call, Exchange, Refusal, SandboxRequest } from './exchange.ts';

/** Beyond it the search for a mistake would slow other requests. */
const MAX_EXPLAINED_BYTES = 16_384;

/** The 400 for a missing or wrong signature, in the words of the endpoint. */
function rejection(exchange: Exchange, refusal: Refusal): PlatformError {
  exchange.verdict = { state: 'wrong', ...refusal };
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
    const call = this.callOf(request, exchange);
    this.verify(exchange, call);
    if (!call.client.operations.has(exchange.operation)) throw new PlatformError(403);
    exchange.call = call;
    return true;
  }

  private callOf({ headers, params }: SandboxRequest, exchange: Exchange): Call<Parameters> {
    const { operation, url, body, planned } = exchange;
    const isV2 = operation !== 'open-game';
    const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (!isV2 && mediaType !== JSON_API) throw new PlatformError(415);

    const query = queryParameters(url);
    const name = isV2 ? 'clientId' : 'client';
    const client = this.settings.clients.find(({ id }) => id === query[name]);
    if (!client) {
      const isMissing = query[name] === undefined;
      const unknown = `There is no client of the ${name} that was sent.`;
      throw rejection(exchange, { reason: isMissing ? `The query parameter ${name} is missing.` : unknown });
    }
    if (isV2 && client.secretKey === undefined)
      throw rejection(exchange, { reason: 'This client has no secret key, which the v2 endpoints need.' });

    const isForm = mediaType === 'application/x-www-form-urlencoded';
    const form = isForm ? formParameters(body.toString()) : {};
    const content = isV2 ? form : parseJson(body.toString())?.value;
    if (!isObject(content)) throw new PlatformError(400, { detail: 'The body is not a JSON:API document' });
    if (operation === 'session' && content['userId'] !== params?.['userId'])
      throw rejection(exchange, { reason: 'The form must hold userId with the same value as the path.' });
    return { client, query, content, fault: planned.fault };
  }

  private verify(exchange: Exchange, { client, query, content }: Call<Parameters>): void {
    const { headers, body, operation } = exchange;
    const { secretKey, conventions } = client;
    if (secretKey === undefined) {
      const reason = 'This client has no secret key, so open-game needs no signature.';
      exchange.verdict = { state: 'unsigned', reason };
      return;
    }
    const sent = headers['sign']?.join(', ');
    if (sent === undefined) throw rejection(exchange, { reason: 'The header sign is missing.' });
    const parameters = { ...query, ...content };
    const ofOpenGame = operation === 'open-game' ? body : undefined;
    const signed = signedContent(parameters, conventions, ofOpenGame);
    if (isSignature(sent, signed, secretKey)) {
      const reason = 'This string and the secret key give the signature.';
      exchange.verdict = { state: 'right', reason, canonical: String(signed) };
      return;
    }
    if (body.length > MAX_EXPLAINED_BYTES) {
      const reason = 'The signature is wrong; the request is too large to look for the mistake.';
      throw rejection(exchange, { reason });
    }
    const explanation = explainSignature({
      sent,
      request: { parameters, ...(ofOpenGame && { body: ofOpenGame.toString() }) },
      settings: conventions,
      secretKey,
      otherSecretKeys: new Map(
        this.settings.clients.flatMap(({ id, secretKey: key }) =>
          key && id !== client.id ? [[id, key]] : [],
        ),
      ),
    });
    throw rejection(exchange, { ...explanation, canonical: String(signed) });
  }
}
