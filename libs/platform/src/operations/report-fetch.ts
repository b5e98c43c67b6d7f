import type { AdHocReportFetch } from '#contracts';

import { readCollection } from '../answers/read-collection.ts';
import { AD_HOC_RECORD, RAKE_RECORD } from '../answers/read-record.ts';
import type { ErrorRow } from '../errors/error-table.ts';
import type { Fields, OperationDefinition, PageRequest, Period } from './operation.ts';

// The interface document defines one code for all errors in the data of a report request.
const ERRORS: readonly ErrorRow[] = [{ status: 422, code: 'INCORRECT_DATA' }];

const REPORT = {
  priority: 'background',
  isRead: true,
  repeatAfterUnknown: 'freely',
  maxAnswerBytes: 16 * 1024 * 1024,
  errors: ERRORS,
  harmless: (period: Period): Period => period,
} as const;

export const reportAdHocFetch: OperationDefinition<'report.ad-hoc.fetch'> = {
  ...REPORT,

  request: (data, { clientId }, page) => ({
    method: 'POST',
    pathTemplate: '/v2/app/reports/ad_hoc',
    query: { clientId, ...paginationOf(page) },
    form: periodOf(data),
  }),

  read: readCollection(AD_HOC_RECORD),
};

export const reportRakeFetch: OperationDefinition<'report.rake.fetch'> = {
  ...REPORT,

  // A GET whose form data is in the body, the query or both, depending on the operator's settings.
  request: (data, { clientId, settings }, page) => {
    const { timeZone, convertToPreferredCurrency, sort } = data;
    const query = { clientId, ...paginationOf(page), timeZone, convertToPreferredCurrency, sort };
    const form = periodOf(data);
    return {
      method: 'GET',
      pathTemplate: '/v2/app/users/rake',
      query: settings.rakeParametersIn === 'form' ? query : { ...query, ...form },
      ...(settings.rakeParametersIn !== 'query' && { form }),
    };
  },

  read: readCollection(RAKE_RECORD),
};

function paginationOf(asked?: PageRequest): Fields {
  return asked ? { 'per-page': String(asked.perPage), page: String(asked.page) } : {};
}

function periodOf({ userId, currency, dateFrom, dateTo }: AdHocReportFetch): Fields {
  return { userId, currency, dateFrom, dateTo };
}
