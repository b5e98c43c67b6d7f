// Sends two commands to poker-bridge: opens the lobby for a player, and reads a report page by page.
//
//   npm install <the packed files of libs/contracts, rabbitmq and caller>
//   AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node send-commands.mjs
import { createCaller } from '@poker-bridge/caller';

const caller = createCaller({
  url: process.env.AMQP_URL,
  prefix: process.env.AMQP_PREFIX ?? 'poker',
  name: 'example-node',
});

try {
  const game = await caller.openGame({ player: { id: 'player-1' }, session: { lang: 'en' } });
  console.log('lobby:', game.url);

  const day = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
  const report = caller.fetchRakeReport({ ...day, perPage: 200 });
  for await (const { page, pageCount, records } of report) {
    console.log(`page ${page} of ${pageCount}: ${records.length} records`);
  }
  console.log(`complete: ${report.summary.records} records`);
} catch (error) {
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
} finally {
  await caller.close();
}
