import type {
  AdHocReportFetch,
  GameOpen,
  GameOpened,
  RakeReportFetch,
  ReportRecord,
  SessionCreate,
  SessionCreated,
} from '#contracts';

import type { CallContext } from './call-context.ts';
import type { Operation } from './operations.ts';
import type { CircuitState, PlatformObserver } from './platform-observer.ts';
import type { OperatorCredentials, PlatformLimits } from './platform-settings.ts';

/** Which page of a report; from 1. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

/** One page of a report, as the platform's envelope describes it. */
export interface CollectionPage {
  readonly records: ReportRecord[];
  readonly totalCount: number;
  readonly pageCount: number;
  readonly currentPage: number;
  readonly perPage: number;
}

/** The state of one circuit, for health and metrics. */
export interface CircuitReport {
  readonly operator: string;
  readonly operation: Operation;
  readonly state: CircuitState;
  /** Until its next probe, while it is not closed. */
  readonly retryAfterMs?: number;
}

/** The four signed calls for one operator. Each fails with a CommandError alone. */
export class PlatformClient {
  constructor(_credentials: OperatorCredentials, _limits: PlatformLimits, _observer?: PlatformObserver) {}

  createSession(_data: SessionCreate, _call: CallContext): Promise<SessionCreated> {
    throw new Error('not yet');
  }

  openGame(_data: GameOpen, _call: CallContext): Promise<GameOpened> {
    throw new Error('not yet');
  }

  fetchAdHocReport(_data: AdHocReportFetch, _page: PageRequest, _call: CallContext): Promise<CollectionPage> {
    throw new Error('not yet');
  }

  fetchRake(_data: RakeReportFetch, _page: PageRequest, _call: CallContext): Promise<CollectionPage> {
    throw new Error('not yet');
  }

  circuits(): readonly CircuitReport[] {
    return [];
  }

  async close(): Promise<void> {}
}
