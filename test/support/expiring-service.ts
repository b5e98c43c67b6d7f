import { healthy, silent } from './platform-answers.ts';
import type { PlatformBehaviour } from './platform-stub.ts';
import { ServiceUnderTest } from './service-under-test.ts';

/** A report with a record a page. */
export const PAGED_REPORT = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00', perPage: 1 };

export const silentAtPageThree: PlatformBehaviour = (request, response, socket) =>
  (request.url.searchParams.get('page') === '3' ? silent : healthy(4))(request, response, socket);

/** A worker whose platform never answers; nothing but its deadline ends a call. */
export async function startExpiringService(budgetMs: number): Promise<ServiceUnderTest> {
  const service = await ServiceUnderTest.start({
    behaviour: silent,
    variables: { INTERACTIVE_DEADLINE_MS: String(budgetMs), CIRCUIT_MINIMUM_CALLS: '1000' },
  });
  await service.worker();
  return service;
}
