import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { explainSignature, type SignatureSettings } from '#signing';
import { JSON_API, PlatformError } from '../interface/documents.ts';
import { isObject } from '../interface/members.ts';
import type { Conventions } from '../settings/clients.ts';
import { Settings } from '../settings/settings.ts';
import { parseJson } from '../signature/php-json.ts';
import {
  formParameters,
  isSignature,
  type Parameters,
  queryParameters,
  signedContent,
} from '../signature/signature.ts';
import type { Call, Exchange, SandboxRequest, Verdict } from './exchange.ts';

/**
 * The maximum body length for explanations: with a longer body, searching for the mistake would delay other
 * requests.
 */
const MAX_EXPLAINED_BYTES = 16_384;

function isJson(mediaType = ''): boolean {
  return /[/+]json$/.test(mediaType);
}

/** Returns the 400 for a missing or wrong signature, with the text of the endpoint. */
function rejection(exchange: Exchange, reason: string, more: Partial<Verdict> = {}): PlatformError {
  const explanation = { reason, ...more };
  exchange.verdict = { state: 'signature wrong', ...explanation };
  const detail = exchange.operation === 'open-game' ? 'Not valid request' : 'Not Valid Request Signature';
  return new PlatformError(400, { detail, meta: { explanation } });
}

/**
 * Accepts a request if its client is known and its `sign` header is valid, and attaches the verified call.
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
    exchange.verdict = this.verify(exchange, call, request.params);
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
    const client = this.settings.clients.find(
      ({ id, conventions }) => query[name] === (isV2 ? id : (conventions.clientKey ?? id)),
    );
    if (query[name] === undefined) throw rejection(exchange, `The query parameter ${name} is missing.`);
    if (!client) throw rejection(exchange, `There is no client of the ${name} that was sent.`);
    if (isV2 && client.secretKey === undefined)
      throw rejection(exchange, 'This client has no secret key, which the v2 endpoints need.');

    const isForm = mediaType === 'application/x-www-form-urlencoded';
    const text = body.toString();
    const isLenient = this.settings.isLenient && isV2;
    const form = () => formParameters(isForm ? text : '');
    const content = isV2 && !(isLenient && isJson(mediaType)) ? form() : parseJson(text);
    if (!isObject(content)) throw new PlatformError(400, { detail: 'The body is not a JSON:API document' });
    if (isLenient) {
      const { clientId: _clientId, ...inQuery } = query;
      return { client, query, content: { ...inQuery, ...content }, fault: planned.fault };
    }
    if (operation === 'session' && content['userId'] !== params['userId'])
      throw rejection(exchange, 'The form must hold userId with the same value as the path.');
    return { client, query, content, fault: planned.fault };
  }

  /** @param path the parameters in the path, which take part in the signature like those of query and form */
  private verify(
    exchange: Exchange,
    { client, query, content }: Call<Parameters>,
    path: Parameters,
  ): Verdict {
    const { headers, body, operation } = exchange;
    const { secretKey, conventions } = client;
    if (secretKey === undefined) {
      const reason = 'This client has no secret key, so open-game needs no signature.';
      return { state: 'not signed', reason };
    }
    const sent = headers['sign']?.join(', ');
    if (sent === undefined) throw rejection(exchange, 'The header sign is missing.');
    const parameters = { ...query, ...path, ...content };
    const ofOpenGame = operation === 'open-game' ? body : undefined;
    const signed = signedContent(parameters, conventions, ofOpenGame);
    const canonical = String(signed);
    if (isSignature(sent, signed, secretKey)) {
      const reason = 'This string and the secret key give the signature.';
      return { state: 'signature right', reason, canonical };
    }
    if (!canBeSet(conventions))
      throw rejection(exchange, 'This client is signed for as no setting of a worker can.', { canonical });
    if (body.length > MAX_EXPLAINED_BYTES)
      throw rejection(exchange, 'The signature is wrong; the request is too large to look for the mistake.');
    const others = this.settings.clients.filter((other) => other !== client && other.secretKey !== undefined);
    const { reason, ...changes } = explainSignature({
      sent,
      request: { parameters, body: ofOpenGame?.toString() },
      settings: conventions,
      secretKey,
      otherSecretKeys: new Map(others.map(({ id, secretKey: key = '' }) => [id, key])),
    });
    throw rejection(exchange, reason, { ...changes, canonical });
  }
}

/** Returns true if a worker can be configured with the settings of the installation. */
function canBeSet(conventions: Conventions): conventions is Conventions & SignatureSettings {
  const { scalars, jsonPlacement, sorting, excluded } = conventions;
  const isFurther = scalars === 'python' || jsonPlacement === 'merge-top';
  return !isFurther && sorting === 'deep' && excluded === 'document';
}
