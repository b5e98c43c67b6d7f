import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type OnApplicationShutdown,
  type PipeTransform,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { map, type Observable, of, throwError } from 'rxjs';

import { CommandError, type Reply } from '#contracts';
import { CommandContext } from '#messaging';

import { NestApplication } from './nest-application.ts';

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

describe("Nest's own means, on this transport", () => {
  let service: NestApplication;

  beforeAll(async () => {
    service = await NestApplication.start({ controllers: [SessionController] });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('run in their places: pipe, context, a stream that is subscribed once, interceptor', async () => {
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' }, { messageId: 'm-1' });
    expect(reply?.body).toMatchObject({ userId: 'piped-p-1', sessionId: 'm-1', auth: 'AUTH' });
  });

  it('refuse by a guard, and tell it by a filter', async () => {
    const [reply] = await service.caller.send('session.create', { userId: 'guarded' });
    expect(reply?.body).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('hear of the end, once the transport has stopped', async () => {
    await service.app.close();
    expect(shutDown).toEqual(['controller']);
  });
});
