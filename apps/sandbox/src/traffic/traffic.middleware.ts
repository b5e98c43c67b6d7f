import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import { FaultRules } from '../faults/fault-rules.ts';
import { Settings } from '../settings/settings.ts';
import { answerInstead, type SandboxResponse, sendAnswer } from './answer.ts';
import { operationOf } from '../interface/documents.ts';
import { readBody, type SandboxRequest } from './exchange.ts';
import { TrafficLog } from './traffic-log.ts';

/**
 * Passes every request to the platform through these steps, in order: planning its faults; counting; reading
 * its body; its latency; the answer of a fault or a firewall, or its controller. Other requests are passed on
 * unchanged.
 */
@Injectable()
export class TrafficMiddleware implements NestMiddleware {
  constructor(
    private readonly log: TrafficLog,
    private readonly faults: FaultRules,
    private readonly settings: Settings,
  ) {}

  async use(request: SandboxRequest, response: SandboxResponse, next: () => void): Promise<void> {
    const operation = operationOf(request.method, request.originalUrl.split('?', 1)[0] as string);
    if (!operation) return next();

    const planned = this.faults.take(operation);
    const exchange = this.log.begin(request, operation, planned);
    request.exchange = exchange;
    response.once('close', () => {
      if (response.writableFinished) exchange.status = response.statusCode;
      this.log.end(exchange);
    });

    if (planned.fault?.kind === 'reset-before') return void request.socket.resetAndDestroy();
    const body = await readBody(request);
    if (!body) return;
    exchange.body = body;

    // after the sandbox has stopped, this timer does not keep the process alive
    if (planned.delayMs > 0) await wait(planned.delayMs, undefined, { ref: false });

    const instead = answerInstead(exchange, this.settings.profile, request.headers['user-agent']);
    if (instead) sendAnswer(response, instead);
    else next();
  }
}
