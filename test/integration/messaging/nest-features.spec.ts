import 'reflect-metadata';
import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  type INestMicroservice,
  Injectable,
  Module,
  type NestInterceptor,
  type OnApplicationShutdown,
  type PipeTransform,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, type MicroserviceOptions, Payload } from '@nestjs/microservices';
import { map, type Observable, of, throwError } from 'rxjs';

import { CommandError, type Reply } from '#contracts';
import { CommandContext, MemoryIdempotencyStore, MessagingObserver, PokerTransport } from '#messaging';
import { removeTopology } from '../../../scripts/broker/remove-topology.ts';

import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { until } from '../../support/until.ts';

interface Data {
  readonly userId: string;
}

class Refused extends Error {}

@Injectable()
class NotThatPlayer implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToRpc().getData<Data>().userId === 'guarded') throw new Refused('by the guard');
    return true;
  }
}

@Injectable()
class Shouting implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<Reply>): Observable<Reply> {
    return next
      .handle()
      .pipe(
        map((reply) =>
          reply.type === 'session.created'
            ? { ...reply, data: { ...reply.data, auth: reply.data.auth.toUpperCase() } }
            : reply,
        ),
      );
  }
}

@Injectable()
class Greeting implements PipeTransform<Data> {
  transform({ userId }: Data): Data {
    return { userId: `piped-${userId}` };
  }
}

@Catch(Refused)
class AsForbidden {
  catch(refused: Refused): Observable<never> {
    return throwError(() => new CommandError('FORBIDDEN', { cause: refused }));
  }
}

const shutDown: string[] = [];

@Controller()
@UseFilters(AsForbidden)
class SessionController implements OnApplicationShutdown {
  @MessagePattern('session.create')
  @UseGuards(NotThatPlayer)
  @UseInterceptors(Shouting)
  create(@Payload(Greeting) { userId }: Data, @Ctx() command: CommandContext): Observable<Reply> {
    const data = { userId, sessionId: command.id, auth: 'auth', redirectUrl: 'https://lobby.example/' };
    return of({ type: 'session.created', data });
  }

  onApplicationShutdown(): void {
    shutDown.push('controller');
  }
}

@Module({ controllers: [SessionController] })
class TestModule {}

/** Hears everything, and keeps nothing. */
const silentObserver = new Proxy({} as MessagingObserver, { get: () => () => undefined });

describe("Nest's own means, on this transport", () => {
  const prefix = uniquePrefix();
  let app: INestMicroservice;
  let caller: BusCaller;

  beforeAll(async () => {
    const transport = new PokerTransport({
      urls: [testBrokerUrl()],
      prefix,
      lanes: ['interactive', 'reports'],
      prefetch: { interactive: 4, reports: 4 },
      budgetMs: { interactive: 10_000, reports: 10_000 },
      maxCommandBytes: 65_536,
      deliveryLimit: 5,
      retryDelaysMs: [1_000],
      stallMs: 1_000,
      events: 'none',
      graceMs: 1_000,
      hasOperator: () => true,
      onMismatch: (error) => {
        throw error;
      },
      pauseMs: () => undefined,
      isServed: () => true,
      idempotency: new MemoryIdempotencyStore(1_000, Date.now),
      observer: silentObserver,
      nowMs: Date.now,
      random: Math.random,
      newId: randomUUID,
    });
    app = await NestFactory.createMicroservice<MicroserviceOptions>(TestModule, {
      strategy: transport,
      logger: false,
    });
    app.enableShutdownHooks();
    await app.listen();
    await until(
      'it consumes',
      () => transport.health.isConnected && transport.health.lanes[0]?.state === 'consuming',
    );
    caller = await BusCaller.open(testBrokerUrl(), prefix);
  });
  afterAll(async () => {
    await app.close();
    await caller[Symbol.asyncDispose]();
    await removeTopology(testBrokerUrl(), prefix, '1000');
  });

  it('run in their places: pipe, context, a stream that is subscribed once, interceptor', async () => {
    const [reply] = await caller.send('session.create', { userId: 'p-1' }, { messageId: 'm-1' });
    expect(reply?.body).toMatchObject({ userId: 'piped-p-1', sessionId: 'm-1', auth: 'AUTH' });
  });

  it('refuse by a guard, and tell it by a filter', async () => {
    const [reply] = await caller.send('session.create', { userId: 'guarded' });
    expect(reply?.body).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('hear of the end, once the transport has stopped', async () => {
    await app.close();
    expect(shutDown).toEqual(['controller']);
  });
});
