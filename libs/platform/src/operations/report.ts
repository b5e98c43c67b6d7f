import type { AdHocReportFetch } from '#contracts';

import type { ErrorRow } from '../errors/error-table.ts';
import type { Fields, PageRequest, Period } from './operation.ts';

// The interface document defines one code for all errors in the data of a report request.
const ERRORS: readonly ErrorRow[] = [{ status: 422, code: 'INCORRECT_DATA' }];

/** Members common to both reports. */
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
