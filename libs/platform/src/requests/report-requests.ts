import type { AdHocReportFetch, RakeReportFetch } from '#contracts';

import { encodeFields, type Fields } from './encode-fields.ts';
import type { PlatformRequest } from './platform-request.ts';

/** Which page of a report; from 1. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

/** Interface document, endpoint 3. */
export function adHocReportRequest(
  data: AdHocReportFetch,
  page: PageRequest,
  clientId: string,
): PlatformRequest {
  const query = { clientId, ...pagination(page) };
  const form = formOf(data);
  return {
    operation: 'report.ad-hoc.fetch',
    root: 'baseUrl',
    method: 'POST',
    pathTemplate: '/v2/app/reports/ad_hoc',
    path: `/v2/app/reports/ad_hoc?${encodeFields(query)}`,
    body: { contentType: 'application/x-www-form-urlencoded', text: encodeFields(form) },
    parameters: { ...query, ...form },
  };
}

/** Interface document, endpoint 4: a GET with its form data in the body, or in the query if the operator's settings say so. */
export function rakeRequest(
  data: RakeReportFetch,
  page: PageRequest,
  clientId: string,
  parametersIn: 'form' | 'query',
): PlatformRequest {
  const { timeZone, convertToPreferredCurrency, sort } = data;
  const query = { clientId, ...pagination(page), timeZone, convertToPreferredCurrency, sort };
  const form = formOf(data);
  const parameters = { ...query, ...form };
  const inForm = parametersIn === 'form';
  return {
    operation: 'report.rake.fetch',
    root: 'baseUrl',
    method: 'GET',
    pathTemplate: '/v2/app/users/rake',
    path: `/v2/app/users/rake?${encodeFields(inForm ? query : parameters)}`,
    body: inForm ? { contentType: 'application/x-www-form-urlencoded', text: encodeFields(form) } : undefined,
    parameters,
  };
}

function pagination({ page, perPage }: PageRequest): Fields {
  return { 'per-page': String(perPage), page: String(page) };
}

function formOf({ userId, currency, dateFrom, dateTo }: AdHocReportFetch): Fields {
  return { userId, currency, dateFrom, dateTo };
}
