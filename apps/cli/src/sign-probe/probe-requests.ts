import type { Question } from '#platform';
import { sign, signRawBody, type SignatureSettings } from '#signing';

/** Everything that can be found out; the rest of section 6 is for people to choose. Source: bus contract, section 6. */
export interface FoundSettings extends SignatureSettings {
  readonly rakeParametersIn: 'form' | 'query';
}

/** Whose signature is tried, and where. */
export interface ProbedOperator {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
}

/** A period of a minute, `YYYY-MM-DD HH:MM:SS`: the read that is asked for is short. */
export interface Period {
  readonly dateFrom: string;
  readonly dateTo: string;
}

type Texts = Readonly<Record<string, string>>;

const FORM = 'application/x-www-form-urlencoded';
const JSON_API = 'application/vnd.api+json';
const PAGE = { 'per-page': '1', page: '1' };

/**
 * A read of the ad hoc report with further parameters, which the platform signs and does not know.
 *
 * @param digest default: that of the settings
 */
export function reportQuestion(
  { baseUrl, clientId, secretKey }: ProbedOperator,
  period: Period,
  { extra, settings, digest }: { extra: Texts; settings: SignatureSettings; digest?: string },
): Question {
  const query = { clientId, ...PAGE };
  const form = { ...period, ...extra };
  return {
    root: baseUrl,
    method: 'POST',
    path: `/v2/app/reports/ad_hoc?${new URLSearchParams(query).toString()}`,
    headers: { 'content-type': FORM, sign: digest ?? sign({ ...query, ...form }, secretKey, settings) },
    body: new URLSearchParams(form).toString(),
  };
}

/** A read of the rake, with further parameters. */
export function rakeQuestion(
  { baseUrl, clientId, secretKey }: ProbedOperator,
  period: Period,
  { extra, settings }: { extra: Texts; settings: FoundSettings },
): Question {
  const query = { clientId, ...PAGE };
  const form = { ...period, ...extra };
  const isForm = settings.rakeParametersIn === 'form';
  return {
    root: baseUrl,
    method: 'GET',
    path: `/v2/app/users/rake?${new URLSearchParams(isForm ? query : { ...query, ...form }).toString()}`,
    headers: {
      sign: sign({ ...query, ...form }, secretKey, settings),
      ...(isForm && { 'content-type': FORM }),
    },
    body: isForm ? new URLSearchParams(form).toString() : undefined,
  };
}

/** An open-game that the platform refuses once it accepts the signature: no session is opened. */
export function gameQuestion(
  { apiUrl, clientId, secretKey }: ProbedOperator,
  { launchOptions, settings }: { launchOptions: object; settings: SignatureSettings },
): Question {
  const parameters = gameParameters(clientId, launchOptions);
  const body = JSON.stringify({ data: parameters.data });
  const digest =
    settings.schemeV3 === 'raw-body' ? signRawBody(body, secretKey) : sign(parameters, secretKey, settings);
  return {
    root: apiUrl,
    method: 'POST',
    path: `/apiweb/v3/open-game?${new URLSearchParams({ client: clientId }).toString()}`,
    headers: { 'content-type': JSON_API, sign: digest },
    body,
  };
}

function gameParameters(clientId: string, launchOptions: object) {
  const session = { authType: 'poker-bridge-probe', launchOptions };
  const attributes = { session, player: { id: 'poker-bridge-probe' } };
  return { client: clientId, data: { type: 'OpenGame', attributes } };
}
