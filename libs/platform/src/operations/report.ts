import type { AdHocReportFetch } from '#contracts';

import type { ErrorRow } from '../errors/error-table.ts';
import type { Fields, PageRequest, Period } from './operation.ts';

// The interface document gives reports one code for all faults of their data.
const ERRORS: readonly ErrorRow[] = [{ status: 422, code: 'INCORRECT_DATA' }];

/** The members that both reports have in common. */
export const REPORT = {
  priority: 'background',
  isRead: true,
  repeatAfterUnknown: 'freely',
  maxAnswerBytes: 16 * 1024 * 1024,
  errors: ERRORS,
  harmless: (period: Period): Period => period,
} as const;

export function paginationOf(asked?: PageRequest): Fields {
  return asked ? { 'per-page': String(asked.perPage), page: String(asked.page) } : {};
}

export function periodOf({ userId, currency, dateFrom, dateTo }: AdHocReportFetch): Fields {
  return { userId, currency, dateFrom, dateTo };
}
