import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type ArgumentMetadata,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  type INestMicroservice,
  Injectable,
  type NestInterceptor,
  type OnApplicationShutdown,
  type PipeTransform,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_PIPE, NestFactory } from '@nestjs/core';
import { type AsyncMicroserviceOptions, Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { map, type Observable, of, throwError } from 'rxjs';

import { CommandError, type Reply } from '#contracts';
import { GameOpen } from '#contracts/validation';
import {
  CommandContext,
  IdempotencyStore,
  InternalKeys,
  MessagingModule,
  type MessagingOptions,
  MessagingObserver,
  PokerTransport,
} from '#messaging';
import { createLogger } from '#telemetry';

import { callersOf } from '../../../apps/worker/src/settings/reloaded-settings.ts';
import { BUS_OF_SPEC } from '../../../libs/messaging/src/envelope/bus.fixture.ts';
import { removeTopology } from '../../../scripts/broker/remove-topology.ts';
import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { until } from '../../support/until.ts';

const prefix = uniquePrefix();
const OPTIONS: MessagingOptions = {
  settings: {
    ...BUS_OF_SPEC.settings,
    AMQP_URL: [testBrokerUrl()],
    AMQP_PREFIX: prefix,
    LANES: ['interactive', 'reports'],
    INTERACTIVE_PREFETCH: 4,
    REPORTS_PREFETCH: 4,
    SHUTDOWN_GRACE_MS: 1_000,
    IDEMPOTENCY_TTL_MS: 1_000,
  },
  clientOf: () => ({}),
  callers: callersOf({ CALLERS_FILE: undefined }, createLogger('silent')),
  internalKeys: new InternalKeys(Buffer.alloc(32, 1)),
  onMismatch: (mismatch) => {
    throw new Error(mismatch);
  },
  reportsLimit: () => Infinity,
  observer: new Proxy({} as MessagingObserver, { get: () => () => undefined }),
};

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
    return next.handle().pipe(map((reply) => ({ ...reply, data: { ...reply.data, auth: 'AUTH' } }) as Reply));
  }
}

/** Changes the player of a game; the parameter has the class that Nest names. */
@Injectable()
class Renaming implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    return type === 'body' && metatype === GameOpen ? { player: { id: 'renamed' } } : value;
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
  create(@Payload() { userId }: Data, @Ctx() command: CommandContext): Observable<Reply> {
    const data = { userId, sessionId: command.id, auth: 'a', redirectUrl: 'https://lobby.example/' };
    return of({ type: 'session.created', data });
  }

  /** Returns its own arguments. */
  @MessagePattern('game.open')
  open(@Payload() data: GameOpen) {
    return { type: 'game.opened', data };
  }

  onApplicationShutdown(): void {
    shutDown.push('controller');
  }
}

describe("Nest's own features, on this transport", () => {
  let app: INestMicroservice;
  let caller: BusCaller;

  beforeAll(async () => {
    const module = {
      module: class TestModule {},
      imports: [MessagingModule.forRootAsync({ useFactory: () => OPTIONS })],
      controllers: [SessionController],
      providers: [{ provide: APP_PIPE, useClass: Renaming }],
    };
    app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
      inject: [PokerTransport],
      useFactory: (strategy: PokerTransport) => ({ strategy }),
      logger: false,
    });
    const transport = app.get(PokerTransport);
    app.enableShutdownHooks();
    await app.listen();
    await until(
      'it consumes',
      () => transport.health.isConnected && transport.health.lanes[0]?.state === 'consuming',
    );
    caller = await BusCaller.open(testBrokerUrl(), prefix);
  });
  afterAll(async () => {
    await app?.close();
    await caller?.[Symbol.asyncDispose]();
    await removeTopology(testBrokerUrl(), prefix, '5000,30000');
  });

  it('run in their order: context, a stream that is subscribed once, interceptor', async () => {
    const [reply] = await caller.send('session.create', { userId: 'p-1' }, { messageId: 'm-1' });
    expect(reply?.body).toMatchObject({ userId: 'p-1', sessionId: 'm-1', auth: 'AUTH' });
  });

  it('change the data of a handler with a pipe', async () => {
    const [reply] = await caller.send('game.open', { player: { id: 'p-1' } });
    expect(reply).toMatchObject({ type: 'game.opened', body: { player: { id: 'renamed' } } });
  });

  it('refuse with a guard, and name the reason with a filter', async () => {
    const [reply] = await caller.send('session.create', { userId: 'guarded' });
    expect(reply?.body).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('learn of the shutdown after the transport has stopped, as the store does', async () => {
    const onApplicationShutdown = jest.fn();
    Object.assign(app.get(IdempotencyStore), { onApplicationShutdown });
    await app.close();
    expect(shutDown).toEqual(['controller']);
    expect(onApplicationShutdown).toHaveBeenCalledTimes(1);
  });
});
