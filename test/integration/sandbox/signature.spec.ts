import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '../../../apps/sandbox/src/interface/documents.ts';
import { type Client, Environment, readConventions } from '../../../apps/sandbox/src/settings/clients.ts';
import { digest, signFlat, startSandboxUnderTest, type Received, type Sent } from './sandbox-under-test.ts';

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

function clientOf(row: Pick<Row, 'parameters' | 'secret' | 'settings'>): Client {
  return {
    id: String(row.parameters['clientId'] ?? row.parameters['client']),
    secretKey: row.secret,
    conventions: readConventions(new Environment(row.settings), ''),
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

describe('the signature over HTTP', () => {
  it.each(rows)('accepts the golden row "$name" and nothing else', async (row) => {
    await using sandbox = await startSandboxUnderTest(
      {},
      { clients: [clientOf(row)], nicknameMaxLength: 255 },
    );
    const request = requestOf(row);
    const accepted = await sandbox.send(request);
    expect([accepted.status, accepted.text]).toEqual([200, expect.any(String)]);

    const other = row.sign.endsWith('0') ? '1' : '0';
    const sign = row.sign.slice(0, -1) + other;
    const refused = await sandbox.send({ ...request, headers: { ...request.headers, sign } });
    expect(refused.status).toBe(400);
  });

  const v2Error = { status: 400, title: 'Bad Request', detail: 'Not Valid Request Signature' };
  const v3Error = { status: 400, title: 'Bad Request', detail: 'Not valid request' };
  const expectRefusal = (received: Received, error: object) => {
    expect(received.status).toBe(400);
    expect(received.headers['content-type']).toBe('application/vnd.api+json');
    expect(received.json).toEqual({ errors: [{ ...error, meta: expect.anything() }] });
  };

  it('is refused if it is missing, of another secret, or in capitals', async () => {
    await using sandbox = await startSandboxUnderTest();
    const right = signFlat({ userId: 'ada' });
    const { sign: _, ...headers } = requestOf(rows[0] as Row).headers ?? {};
    const unsigned = {
      ...requestOf(rows[0] as Row),
      path: '/api/web/v2/app/users/u-1/session?clientId=sandbox',
      headers,
    };
    expectRefusal(await sandbox.send(unsigned), v2Error);
    expectRefusal(
      await sandbox.session('ada', {}, { sign: signFlat({ userId: 'ada' }, 'another') }),
      v2Error,
    );
    expectRefusal(await sandbox.session('ada', {}, { sign: right.toUpperCase() }), v2Error);
    expectRefusal(await sandbox.openGame({ player: { id: 'ada' } }, 'wrong'), v3Error);
  });

  it('is refused for a client that is missing or not known', async () => {
    await using sandbox = await startSandboxUnderTest();
    const { path, ...request } = requestOf(rows[0] as Row);
    expectRefusal(await sandbox.send({ ...request, path }), v2Error);
    expectRefusal(await sandbox.send({ ...request, path: path.replace(/\?.*/, '') }), v2Error);
    expectRefusal(await sandbox.openGame({ player: { id: 'ada' } }, 'xadaOpenGame', 'client=x'), v3Error);
  });

  it('is refused if userId is not in both path and form with one value', async () => {
    await using sandbox = await startSandboxUnderTest();
    const request = {
      method: 'POST',
      path: '/api/web/v2/app/users/ada/session?clientId=sandbox',
      headers: { 'content-type': 'application/x-www-form-urlencoded', sign: signFlat({ userId: 'ada' }) },
    };
    expectRefusal(await sandbox.send({ ...request, body: 'lang=en' }), v2Error);
    const bob = { ...request, headers: { ...request.headers, sign: signFlat({ userId: 'bob' }) } };
    expectRefusal(await sandbox.send({ ...bob, body: 'userId=bob' }), v2Error);
    const json = { ...request, headers: { ...request.headers, 'content-type': 'application/json' } };
    expectRefusal(await sandbox.send({ ...json, body: '{"userId":"ada"}' }), v2Error);
  });

  it('of the body and the secret is accepted if open-game signs its bytes', async () => {
    await using sandbox = await startSandboxUnderTest({ SANDBOX_SIGNATURE_SCHEME_V3: 'raw-body' });
    const body = '{ "data": {"type": "OpenGame", "attributes": {"player": {"id": "ädа"}}} }';
    const request = {
      method: 'POST',
      path: '/apiweb/v3/open-game?client=sandbox',
      headers: { 'content-type': 'application/vnd.api+json; charset=utf-8', sign: digest(body) },
      body,
    };
    expect((await sandbox.send(request)).status).toBe(200);
    expectRefusal(await sandbox.send({ ...request, body: body.replace('{ ', '{') }), v3Error);
  });

  describe('of a client without a secret key', () => {
    const client = clientOf({ parameters: { clientId: 'sandbox' }, secret: '', settings: {} });
    const { secretKey: _, ...unsigned } = client;

    it('is not needed for open-game, and makes v2 impossible', async () => {
      await using sandbox = await startSandboxUnderTest({}, { clients: [unsigned] });
      const game = {
        method: 'POST',
        path: '/apiweb/v3/open-game?client=sandbox',
        headers: { 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'OpenGame', attributes: { player: { id: 'ada' } } } }),
      };
      expect((await sandbox.send(game)).status).toBe(200);
      expect((await sandbox.openGame({ player: { id: 'ada' } }, 'whatever')).status).toBe(200);
      expectRefusal(await sandbox.session('ada', {}, { sign: signFlat({ userId: 'ada' }, '') }), v2Error);
    });
  });

  it('does not allow operations that the client is not permitted: 403', async () => {
    const client = clientOf({
      parameters: { clientId: 'sandbox' },
      secret: 'sandbox-secret-key',
      settings: {},
    });
    await using sandbox = await startSandboxUnderTest(
      {},
      { clients: [{ ...client, operations: new Set(['open-game']) }] },
    );
    const dates = { dateFrom: '2024-03-24 00:00:00', dateTo: '2024-03-25 00:00:00' };
    for (const refused of [
      await sandbox.adHoc(dates),
      await sandbox.rake(dates),
      await sandbox.session('ada'),
    ]) {
      expect(refused.status).toBe(403);
      expect(refused.json).toEqual({ errors: [{ status: 403, title: 'Forbidden', detail: 'Forbidden' }] });
    }
    expect((await sandbox.openGame({ player: { id: 'ada' } }, 'sandboxadaOpenGame')).status).toBe(200);
  });

  it('is explained if it is wrong, without revealing the right one', async () => {
    await using sandbox = await startSandboxUnderTest();
    const explanationOf = (received: Received) => received.json.errors[0].meta.explanation;
    const form = { userId: 'ada', nick: 'Ace of ♠', lang: 'en' };
    const asSent = await sandbox.session('ada', form, { sign: digest('adaAce of ♠en') });
    expect(explanationOf(asSent)).toEqual({
      reason: 'The parameters are signed in the order of the request; they must be sorted by name.',
      canonical: 'enAce of ♠ada',
    });
    const encoded = await sandbox.session('ada', form, { sign: digest('enAce%20of%20%E2%99%A0ada') });
    expect(explanationOf(encoded).reason).toContain('URL-encoded');
    const dropped = await sandbox.openGame({ player: { id: 'ada' } }, 'adaOpenGame');
    expect(explanationOf(dropped)).toMatchObject({ settings: { SIGNATURE_OPEN_GAME_CLIENT: 'drop' } });
    for (const { text } of [asSent, encoded, dropped]) {
      expect(text).not.toMatch(/[0-9a-f]{64}/);
      expect(text).not.toContain('sandbox-secret-key');
    }
  });
});
