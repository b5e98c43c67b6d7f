import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import { answerInstead } from '../faults/deliver.ts';
import { FaultRules, Latency } from '../faults/fault-rules.ts';
import { operationOf, sendAnswer } from '../interface/documents.ts';
import { readBody, type Exchange, type SandboxRequest } from './exchange.ts';
import { TrafficLog } from './traffic-log.ts';

/**
 * Every request to the platform passes, in order: counting; planning its faults; reading its body; its latency;
 * the answer of a fault, or its controller. Other requests pass unchanged.
 */
@Injectable()
export class TrafficMiddleware implements NestMiddleware {
  constructor(
    private readonly log: TrafficLog,
    private readonly faults: FaultRules,
    private readonly latency: Latency,
  ) {}

  async use(request: SandboxRequest, response: ServerResponse, next: () => void): Promise<void> {
    const operation = operationOf(request.method, request.originalUrl.split('?', 1)[0] as string);
    if (!operation) return next();

    const planned = this.faults.take(operation);
    const exchange: Exchange = {
      operation,
      receivedAtMs: performance.timeOrigin + performance.now(),
      planned,
      body: Buffer.alloc(0),
      onProcessed: () => this.log.processed(operation),
    };
    request.exchange = exchange;
    this.observe(request, response, exchange);

    if (planned.fault?.kind === 'reset-before') return void request.socket.resetAndDestroy();
    const body = await readBody(request);
    if (!body) return;
    exchange.body = body;

    const delayMs = this.latency.draw(planned.latency);
    if (delayMs > 0) await wait(delayMs);

    const instead = answerInstead(planned.fault);
    if (instead) sendAnswer(response, instead);
    else next();
  }

  private observe(request: SandboxRequest, response: ServerResponse, exchange: Exchange): void {
    this.log.received(exchange);
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : undefined;
      this.log.finished(request, exchange, status, performance.timeOrigin + performance.now());
    });
  }
}
