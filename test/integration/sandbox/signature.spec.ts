import { describe, expect, it } from '@jest/globals';
import { digest, type Received, signFlat } from '../../support/sandbox-client.ts';
import { sharedSandbox, startSandboxUnderTest } from './sandbox-under-test.ts';

const SESSION = {
  method: 'POST',
  path: '/api/web/v2/app/users/ada/session?clientId=sandbox',
  headers: { 'content-type': 'application/x-www-form-urlencoded', sign: signFlat({ userId: 'ada' }) },
  body: 'userId=ada',
};
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

  it('is refused if it is missing, of another secret, or in capitals', async () => {
    const { sign: _, ...unsigned } = SESSION.headers;
    expect((await sandbox.send(SESSION)).status).toBe(200);
    expectRefusalV2(await sandbox.send({ ...SESSION, headers: unsigned }));
    const right = signFlat({ userId: 'ada' });
    for (const sign of [signFlat({ userId: 'ada' }, 'another'), right.toUpperCase()])
      expectRefusalV2(await sandbox.session('ada', {}, { sign }));
    expectRefusalV3(await sandbox.openGame(ADA, 'wrong'));
  });

  it('is refused for a missing or unknown client', async () => {
    expectRefusalV2(await sandbox.send({ ...SESSION, path: SESSION.path.replace('=sandbox', '=other') }));
    expectRefusalV2(await sandbox.send({ ...SESSION, path: SESSION.path.replace(/\?.*/, '') }));
    expectRefusalV3(await sandbox.openGame(ADA, 'xadaOpenGame', 'client=x'));
  });

  it.each([
    ['is not in the form', 'ada', 'lang=en', 'application/x-www-form-urlencoded'],
    ['is another one in the form', 'bob', 'userId=bob', 'application/x-www-form-urlencoded'],
    ['is not in a form', 'ada', 'userId=ada', 'application/json'],
  ])('is refused if the userId of the path %s', async (_, userId, body, contentType) => {
    const headers = { 'content-type': contentType, sign: signFlat({ userId }) };
    expectRefusalV2(await sandbox.send({ ...SESSION, headers, body }));
  });

  it('is accepted over body and secret if open-game signs the bytes of its body', async () => {
    await using raw = await startSandboxUnderTest({ SANDBOX_SIGNATURE_SCHEME_V3: 'raw-body' });
    const body = '{ "data": {"type": "OpenGame", "attributes": {"player": {"id": "ädа"}}} }';
    const headers = { 'content-type': 'application/vnd.api+json; charset=utf-8', sign: digest(body) };
    const request = { method: 'POST', path: '/apiweb/v3/open-game?client=sandbox', headers };
    expect((await raw.send({ ...request, body })).status).toBe(200);
    expectRefusalV3(await raw.send({ ...request, body: body.replace('{ ', '{') }));
  });

  it('is explained if it is wrong, without revealing the correct one', async () => {
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
