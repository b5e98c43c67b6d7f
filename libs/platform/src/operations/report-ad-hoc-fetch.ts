import { readCollection } from '../answers/read-collection.ts';
import { AD_HOC_RECORD } from '../answers/read-record.ts';
import type { OperationDefinition } from './operation.ts';
import { paginationOf, periodOf, REPORT } from './report.ts';

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
