import type { ServerResponse } from 'node:http';
import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Problem } from '../control/problem.ts';
import { deliver } from '../faults/deliver.ts';
import { type Answer, errorDocument, exactJson, JSON_API, PlatformError } from '../interface/documents.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';

type SandboxResponse = ServerResponse & { readonly req: SandboxRequest };

/** Sends an answer; one of the platform is counted, and its fault injected. */
function answer(response: SandboxResponse, written: Answer): void {
  const { exchange } = response.req;
  if (exchange && written.status < 400) exchange.counters.processed += 1;
  deliver(response, written, exchange?.planned.fault);
}

/** Express under Nest, with one difference: what a handler returns is written here, in one piece. */
export class JsonApiAdapter extends ExpressAdapter {
  override reply(response: SandboxResponse, body: unknown, status = response.statusCode) {
    const contentType = response.req.exchange ? JSON_API : 'application/json';
    answer(response, { status, contentType, body: body === undefined ? '' : exactJson(body) });
  }
}

/** Writes every failure: of the control API as problem details, of everything else as a JSON:API document. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Sandbox');

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<SandboxRequest>();
    const response = host.switchToHttp().getResponse<SandboxResponse>();
    const status = statusOf(error);
    if (status >= 500 && !(error instanceof PlatformError)) this.logger.error(error);
    if (response.headersSent || response.destroyed) return;

    if (error instanceof Problem || request.originalUrl.startsWith('/sandbox/')) {
      const problem = Problem.from(error, status);
      const body = exactJson(problem.document());
      answer(response, { status: problem.status, contentType: Problem.MEDIA_TYPE, body });
    } else {
      const parts = error instanceof PlatformError ? error.parts : {};
      answer(response, { status, contentType: JSON_API, body: exactJson(errorDocument(status, parts)) });
    }
  }
}

function statusOf(error: unknown): number {
  if (error instanceof PlatformError || error instanceof Problem) return error.status;
  return error instanceof HttpException ? error.getStatus() : 500;
}
