import { readCollection } from '../answers/read-collection.ts';
import { RAKE_RECORD } from '../answers/read-record.ts';
import type { OperationDefinition } from './operation.ts';
import { paginationOf, periodOf, REPORT } from './report.ts';

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
