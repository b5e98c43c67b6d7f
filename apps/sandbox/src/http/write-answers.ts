import type { ServerResponse } from 'node:http';
import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Problem } from '../control/problem.ts';
import { deliver } from '../faults/deliver.ts';
import { errorDocument, exactJson, JSON_API, PlatformError, sendAnswer } from '../interface/documents.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';

/**
 * Express under Nest, with one difference: what a handler returns is written here, in one piece and with the
 * media type of the interface, and faults of delivery are injected here.
 */
export class JsonApiAdapter extends ExpressAdapter {
  override reply(response: ServerResponse & { req: SandboxRequest }, body: unknown, status?: number) {
    const { exchange } = response.req;
    const answer = {
      status: status ?? response.statusCode,
      contentType: String(response.getHeader('content-type') ?? (exchange ? JSON_API : 'application/json')),
      body: body === undefined ? '' : typeof body === 'string' ? body : exactJson(body),
    };
    if (exchange) {
      if (answer.status < 400) exchange.onProcessed();
      deliver(response, answer, exchange.planned.fault);
    } else sendAnswer(response, answer);
  }
}

/** Writes every failure: of the control API as problem details, of everything else as a JSON:API document. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Sandbox');

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<SandboxRequest>();
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const status = statusOf(error);
    if (status >= 500 && !(error instanceof PlatformError)) this.logger.error(error);
    if (response.headersSent || response.destroyed) return;

    if (error instanceof Problem || request.originalUrl.startsWith('/sandbox/')) {
      const problem = Problem.from(error, status);
      response.setHeader('content-type', Problem.MEDIA_TYPE);
      this.adapterHost.httpAdapter.reply(response, problem.document(), problem.status);
    } else {
      const parts = error instanceof PlatformError ? error.parts : {};
      response.setHeader('content-type', JSON_API);
      this.adapterHost.httpAdapter.reply(response, errorDocument(status, parts), status);
    }
  }
}

function statusOf(error: unknown): number {
  if (error instanceof PlatformError || error instanceof Problem) return error.status;
  return error instanceof HttpException ? error.getStatus() : 500;
}
