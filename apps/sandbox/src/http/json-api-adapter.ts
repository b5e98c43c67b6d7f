import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Problem } from '../control/problem.ts';
import { exactJson, JSON_API, PlatformError } from '../interface/documents.ts';
import { errorBody, type Profile } from '../interface/real-profile.ts';
import { Settings } from '../settings/settings.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';
import { type SandboxResponse, sendAnswer } from '../traffic/answer.ts';

/** Express under Nest, except that this adapter writes the return value of a handler, in one piece. */
export class JsonApiAdapter extends ExpressAdapter {
  constructor(private readonly profile: Profile) {
    super();
  }

  override reply(response: SandboxResponse, body: unknown, status = response.statusCode) {
    const { exchange } = response.req;
    if (exchange) exchange.counters.processed += 1;
    const contentType = exchange ? JSON_API : 'application/json';
    const isCreated = this.profile === 'real' && exchange?.operation === 'open-game';
    const code = isCreated ? 201 : status;
    sendAnswer(response, { status: code, contentType, body: body === undefined ? '' : exactJson(body) });
  }
}

/** Writes every failure: of the control API as problem details, of everything else as a JSON:API document. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Sandbox');

  constructor(private readonly settings: Settings) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const [request, response] = host.getArgs<[SandboxRequest, SandboxResponse]>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    if (status >= 500 && !(error instanceof PlatformError)) this.logger.error(error);
    if (response.headersSent || response.destroyed) return;

    if (error instanceof Problem || request.originalUrl.startsWith('/sandbox/')) {
      const document = Problem.from(error).document();
      const contentType = 'application/problem+json';
      sendAnswer(response, { status: document.status, contentType, body: exactJson(document) });
    } else {
      const parts = error instanceof PlatformError ? error.parts : {};
      const document = errorBody(this.settings.profile, request.exchange?.operation, status, parts);
      sendAnswer(response, { status, contentType: JSON_API, body: exactJson(document) });
    }
  }
}
