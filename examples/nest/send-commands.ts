// Sends two commands to poker-bridge with Nest's own RabbitMQ client: opens the lobby for a player, and reads a
// report page by page.
//
//   npm install @nestjs/common @nestjs/core @nestjs/microservices amqplib amqp-connection-manager rxjs
//   AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node send-commands.ts      (Node.js 22.18 or newer)
import { NestFactory } from '@nestjs/core';
import {
  type ClientProxy,
  type ClientProviderOptions,
  ClientsModule,
  RmqRecordBuilder,
  Transport,
} from '@nestjs/microservices';
import { lastValueFrom, type Observable, timeout } from 'rxjs';

const PREFIX = process.env['AMQP_PREFIX'] ?? 'poker';
const TIMEOUT_MS = 15_000;

/** The replies that are used here; `@poker-bridge/contracts` has all messages as types and classes. */
interface GameOpened {
  readonly url: string;
}
interface ReportPage {
  readonly page: number;
  readonly pageCount: number;
  readonly records: readonly object[];
}
interface ReportCompleted {
  readonly records: number;
}
interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

/** One client a lane. `noAssert`: the queue is the worker's, declared with arguments that Nest does not know. */
function laneClient(name: string, lane: 'interactive' | 'reports'): ClientProviderOptions {
  return {
    name,
    transport: Transport.RMQ,
    options: {
      urls: [process.env['AMQP_URL'] ?? ''],
      queue: `${PREFIX}.${lane}`,
      noAssert: true,
      persistent: true,
    },
  };
}

/** Sends one command. The Observable ends with the final reply, or fails with the error body. */
function send<T>(client: ClientProxy, type: string, data: object): Observable<T> {
  const headers = { 'x-deadline': String(Date.now() + TIMEOUT_MS) };
  const record = new RmqRecordBuilder(data).setOptions({ headers }).build();
  // A command is answered no later than one second after its deadline.
  return client.send<T>(type, record).pipe(timeout(TIMEOUT_MS + 2_000));
}

// In a service of yours: `imports: [ClientsModule.register([…])]` and `@Inject('POKER') poker: ClientProxy`.
const app = await NestFactory.createApplicationContext(
  ClientsModule.register([laneClient('POKER', 'interactive'), laneClient('POKER_REPORTS', 'reports')]),
  { logger: ['error', 'warn'] },
);

try {
  const poker = app.get<ClientProxy>('POKER');
  const lobby = { player: { id: 'player-1' }, session: { lang: 'en' } };
  const game = await lastValueFrom(send<GameOpened>(poker, 'game.open', lobby));
  console.log('lobby:', game.url);

  const reports = app.get<ClientProxy>('POKER_REPORTS');
  const period = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 200 };
  await send<ReportPage | ReportCompleted>(reports, 'report.rake.fetch', period).forEach((reply) => {
    if ('page' in reply)
      console.log(`page ${reply.page} of ${reply.pageCount}: ${reply.records.length} records`);
    else console.log(`complete: ${reply.records} records`);
  });
} catch (error) {
  // Without a code it is an error of the connection, not a reply.
  const { code = 'NOT_SENT', message } = error as Partial<ErrorBody>;
  console.error(`${code}: ${message}`);
  process.exitCode = 1;
} finally {
  await app.close();
}
