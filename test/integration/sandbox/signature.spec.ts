import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VariableReader } from '#settings';
import { OPERATIONS } from '../../../apps/sandbox/src/interface/documents.ts';
import { type Client, readConventions } from '../../../apps/sandbox/src/settings/clients.ts';
import {
  digest,
  type Received,
  type Sent,
  sharedSandbox,
  signFlat,
  startSandboxUnderTest,
} from './sandbox-under-test.ts';

interface Row {
  readonly name: string;
  readonly parameters: Record<string, unknown>;
  readonly secret: string;
  readonly settings: Record<string, string>;
  readonly sign: string;
}

const rows = JSON.parse(
  readFileSync(new URL('../../vectors/signing.json', import.meta.url), 'utf8'),
) as Row[];

/** The client that a sandbox has by default. */
const SANDBOX = { parameters: { clientId: 'sandbox' }, secret: 'sandbox-secret-key', settings: {} };

function clientOf(row: Pick<Row, 'parameters' | 'secret' | 'settings'>): Client {
  return {
    id: String(row.parameters['clientId'] ?? row.parameters['client']),
    secretKey: row.secret,
    conventions: readConventions(new VariableReader(row.settings)),
    operations: new Set(OPERATIONS),
  };
}

function requestOf({ parameters, sign }: Row): Sent {
  const strings = parameters as Record<string, string>;
  if ('client' in strings)
    return {
      method: 'POST',
      path: `/apiweb/v3/open-game?${new URLSearchParams({ client: strings['client'] })}`,
      headers: { 'content-type': 'application/vnd.api+json', sign },
      body: JSON.stringify({ data: parameters['data'] }),
    };
  const inQuery = ['clientId', 'per-page', 'page', 'sort', 'timeZone', 'convertToPreferredCurrency'];
  const [query, form] = [new URLSearchParams(), new URLSearchParams()];
  for (const [name, value] of Object.entries(strings))
    (inQuery.includes(name) ? query : form).set(name, value);
  const isRake = query.has('timeZone');
  const path = isRake
    ? '/api/web/v2/app/users/rake'
    : form.has('dateFrom')
      ? '/api/web/v2/app/reports/ad_hoc'
      : `/api/web/v2/app/users/${strings['userId']}/session`;
  return {
    method: isRake ? 'GET' : 'POST',
    path: `${path}?${query}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', sign },
    body: form.toString(),
  };
}

const ADA = { player: { id: 'ada' } };

const refusedWith = (detail: string) => (received: Received) => {
  expect([received.status, received.headers['content-type']]).toEqual([400, 'application/vnd.api+json']);
  const error = { status: 400, title: 'Bad Request', detail, meta: expect.anything() };
  expect(received.json).toEqual({ errors: [error] });
};
const expectRefusalV2 = refusedWith('Not Valid Request Signature');
const expectRefusalV3 = refusedWith('Not valid request');

describe('the signature over HTTP', () => {
  const sandbox = sharedSandbox();

  it.each(rows)('accepts the golden row "$name" and nothing else', async (row) => {
    const settings = { clients: [clientOf(row)], nicknameMaxLength: 255 };
    await using installation = await startSandboxUnderTest({}, settings);
    const request = requestOf(row);
    const accepted = await installation.send(request);
    expect([accepted.status, accepted.text]).toEqual([200, expect.any(String)]);

    const sign = row.sign.slice(0, -1) + (row.sign.endsWith('0') ? '1' : '0');
    const refused = await installation.send({ ...request, headers: { ...request.headers, sign } });
    expect(refused.status).toBe(400);
  });

  it('is refused if it is missing, of another secret, or in capitals', async () => {
    const { headers, ...request } = requestOf(rows[0] as Row);
    const { sign: _, ...unsigned } = headers ?? {};
    const path = '/api/web/v2/app/users/u-1/session?clientId=sandbox';
    expectRefusalV2(await sandbox.send({ ...request, path, headers: unsigned }));
    const right = signFlat({ userId: 'ada' });
    for (const sign of [signFlat({ userId: 'ada' }, 'another'), right.toUpperCase()]) {
      expectRefusalV2(await sandbox.session('ada', {}, { sign }));
    }
    expectRefusalV3(await sandbox.openGame(ADA, 'wrong'));
  });

  it('is refused for a client that is missing or not known', async () => {
    const { path, ...request } = requestOf(rows[0] as Row);
    expectRefusalV2(await sandbox.send({ ...request, path }));
    expectRefusalV2(await sandbox.send({ ...request, path: path.replace(/\?.*/, '') }));
    expectRefusalV3(await sandbox.openGame(ADA, 'xadaOpenGame', 'client=x'));
  });

  it.each([
    ['is not in the form', 'ada', 'lang=en', 'application/x-www-form-urlencoded'],
    ['is another one in the form', 'bob', 'userId=bob', 'application/x-www-form-urlencoded'],
    ['is not in a form', 'ada', '{"userId":"ada"}', 'application/json'],
  ])('is refused if the userId of the path %s', async (_, userId, body, contentType) => {
    const headers = { 'content-type': contentType, sign: signFlat({ userId }) };
    const path = '/api/web/v2/app/users/ada/session?clientId=sandbox';
    expectRefusalV2(await sandbox.send({ method: 'POST', path, headers, body }));
  });

  it('of the body and the secret is accepted if open-game signs its bytes', async () => {
    await using raw = await startSandboxUnderTest({ SANDBOX_SIGNATURE_SCHEME_V3: 'raw-body' });
    const body = '{ "data": {"type": "OpenGame", "attributes": {"player": {"id": "ädа"}}} }';
    const headers = { 'content-type': 'application/vnd.api+json; charset=utf-8', sign: digest(body) };
    const request = { method: 'POST', path: '/apiweb/v3/open-game?client=sandbox', headers };
    expect((await raw.send({ ...request, body })).status).toBe(200);
    expectRefusalV3(await raw.send({ ...request, body: body.replace('{ ', '{') }));
  });

  it('of a client without a secret key is not needed for open-game, and v2 is impossible', async () => {
    const { secretKey: _, ...unsigned } = clientOf(SANDBOX);
    await using open = await startSandboxUnderTest({}, { clients: [unsigned] });
    const headers = { 'content-type': 'application/vnd.api+json' };
    const body = JSON.stringify({ data: { type: 'OpenGame', attributes: ADA } });
    const path = '/apiweb/v3/open-game?client=sandbox';
    expect((await open.send({ method: 'POST', path, headers, body })).status).toBe(200);
    expect((await open.openGame(ADA, 'whatever')).status).toBe(200);
    expectRefusalV2(await open.session('ada', {}, { sign: signFlat({ userId: 'ada' }, '') }));
  });

  it('does not allow operations that the client is not permitted: 403', async () => {
    const client = { ...clientOf(SANDBOX), operations: new Set(['open-game' as const]) };
    await using limited = await startSandboxUnderTest({}, { clients: [client] });
    const dates = { dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-25 00:00:00' };
    for (const refused of [limited.adHoc(dates), limited.rake(dates), limited.session('ada')]) {
      const { status, json } = await refused;
      expect(status).toBe(403);
      expect(json).toEqual({ errors: [{ status: 403, title: 'Forbidden', detail: 'Forbidden' }] });
    }
    expect((await limited.openGame(ADA)).status).toBe(200);
  });

  it('is explained if it is wrong, without revealing the right one', async () => {
    const explanationOf = (received: Received) => received.json.errors[0].meta.explanation;
    const form = { userId: 'ada', nick: 'Ace of ♠', lang: 'en' };
    const asSent = await sandbox.session('ada', form, { sign: digest('adaAce of ♠en') });
    expect(explanationOf(asSent)).toEqual({
      reason: 'The parameters are signed in the order of the request; they must be sorted by name.',
      canonical: 'enAce of ♠ada',
    });
    const encoded = await sandbox.session('ada', form, { sign: digest('enAce%20of%20%E2%99%A0ada') });
    expect(explanationOf(encoded).reason).toContain('URL-encoded');
    const dropped = await sandbox.openGame(ADA, 'adaOpenGame');
    expect(explanationOf(dropped)).toMatchObject({ settings: { SIGNATURE_OPEN_GAME_CLIENT: 'drop' } });
    for (const { text } of [asSent, encoded, dropped]) {
      expect(text).not.toMatch(/[0-9a-f]{64}/);
      expect(text).not.toContain('sandbox-secret-key');
    }
  });
});
