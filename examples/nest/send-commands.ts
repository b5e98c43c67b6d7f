// Sends two commands to poker-bridge from a Nest application: opens the lobby for a player, and reads a
// report page by page.
//
// npm install @nestjs/common @nestjs/core @nestjs/microservices rxjs <the packed files of libs/contracts,
// rabbitmq and caller>
//   AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node send-commands.ts      (Node.js 22.18 or newer)
import { NestFactory } from '@nestjs/core';
import { Caller, CallerError } from '@poker-bridge/caller';
import { CallerModule } from '@poker-bridge/caller/nest';

// In a service of yours: `imports: [CallerModule.forRootAsync(…)]`, and `constructor(private readonly poker:
// Caller)`.
const app = await NestFactory.createApplicationContext(
  CallerModule.forRootAsync({
    useFactory: () => ({
      url: process.env['AMQP_URL'] ?? '',
      prefix: process.env['AMQP_PREFIX'] ?? 'poker',
      name: 'example-nest',
    }),
  }),
  { logger: ['error', 'warn'] },
);

try {
  const poker = app.get(Caller);
  const game = await poker.openGame({ player: { id: 'player-1' }, session: { lang: 'en' } });
  console.log('lobby:', game.url);

  const day = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
  const report = poker.fetchRakeReport({ ...day, perPage: 200 });
  for await (const { page, pageCount, records } of report) {
    console.log(`page ${page} of ${pageCount}: ${records.length} records`);
  }
  console.log(`complete: ${report.summary?.records} records`);
} catch (error) {
  console.error(error instanceof CallerError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  await app.close();
}
