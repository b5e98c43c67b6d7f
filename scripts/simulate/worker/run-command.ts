import type { CallContext, PlatformClient } from '#platform';

import { readReport } from '../../../apps/worker/src/commands/report-fetch/read-report.ts';
import type { SimulatedCommand } from '../broker/simulated-broker.ts';
import { PLAYER } from '../platform/documents.ts';

interface ReportRun {
  readonly perPage: number;
  /** Publishes a page. */
  readonly onPage: () => Promise<void>;
}

const PERIOD = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };

/** What the handler of a command does. @throws CommandError */
export async function runCommand(
  command: SimulatedCommand,
  client: PlatformClient,
  context: CallContext,
  { perPage, onPage }: ReportRun,
): Promise<void> {
  switch (command.type) {
    case 'session.create':
      await client.createSession({ userId: PLAYER }, context);
      break;
    case 'game.open':
      await client.openGame({ player: { id: PLAYER }, session: { id: 's' } }, context);
      break;
    case 'report.ad-hoc.fetch':
    case 'report.rake.fetch': {
      const replies = readReport('rake', PERIOD, command, { perPage, precisions: new Map() }, (page) =>
        client.fetchRake(PERIOD, page, context),
      );
      for await (const { type } of replies) if (type === 'report.page') await onPage();
    }
  }
}
