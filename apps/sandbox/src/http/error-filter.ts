import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { ServerResponse } from 'node:http';
import { Problem } from '../control/problem.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';
import { errorDocument, PlatformError } from '../json-api/platform-error.ts';
import { JSON_API } from '../json-api/send-answer.ts';

/** Writes every failure: of the control API as problem details, of everything else as a JSON:API document. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Sandbox');

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<SandboxRequest>();
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const status = statusOf(error);
    if (status >= 500) this.logger.error(error);
    if (response.headersSent || response.destroyed) return;

    const isControl = error instanceof Problem || request.originalUrl.startsWith('/sandbox/');
    const body = isControl
      ? Problem.from(error, status).document()
      : errorDocument(status, error instanceof PlatformError ? error.parts : {});
    response.setHeader('content-type', isControl ? Problem.MEDIA_TYPE : JSON_API);
    this.adapterHost.httpAdapter.reply(response, body, status);
  }
}

function statusOf(error: unknown): number {
  if (error instanceof PlatformError || error instanceof Problem) return error.status;
  return error instanceof HttpException ? error.getStatus() : 500;
}
