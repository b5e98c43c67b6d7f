import { describe, expect, it } from '@jest/globals';
import type { Client } from '../settings/clients.ts';
import type { FinishedRequest } from '../traffic/describe-request.ts';
import type { Exchange } from '../traffic/exchange.ts';
import { signatureVerdict } from './request-list.ts';

const CLIENT: Client = {
  id: 'op',
  secretKey: 'S3CRET',
  operations: new Set(),
  conventions: {
    scalars: 'php',
    openGameClient: 'keep',
    jsonStrings: 'containers',
    jsonPlacement: 'in-place',
    exclude: 'top',
    schemeV3: 'parameters',
    rakeParametersIn: 'form',
    playerCountryMember: 'country',
  },
};

function finished(rest: Partial<Exchange>, url = '/users/u/session?clientId=op'): FinishedRequest {
  const rawHeaders = ['Host', 'h', 'Sign', 'd1gest'];
  const onProcessed = () => undefined;
  const exchange = {
    operation: 'session',
    receivedAtMs: 0,
    planned: {},
    body: Buffer.alloc(0),
    onProcessed,
  } as const;
  return { method: 'POST', url, rawHeaders, exchange: { ...exchange, ...rest }, status: 200, durationMs: 1 };
}

describe('the verdict on a signature', () => {
  it('shows the string of a right one, and no secret key', () => {
    const call = { client: CLIENT, query: { clientId: 'op' }, content: { userId: 'u', lang: 'de' } };
    const verdict = signatureVerdict(finished({ call }));
    expect(verdict).toMatchObject({ state: 'right', canonical: 'deu' });
    expect(JSON.stringify(verdict)).not.toContain('S3CRET');
  });

  it('shows the bytes that are signed where the body is', () => {
    const client = { ...CLIENT, conventions: { ...CLIENT.conventions, schemeV3: 'raw-body' as const } };
    const call = { client, query: {}, content: {} };
    const verdict = signatureVerdict(
      finished({ operation: 'open-game', body: Buffer.from('{"a":1}'), call }),
    );
    expect(verdict.canonical).toBe('{"a":1}');
  });

  it('explains a wrong one, with the settings that would make it right', () => {
    const refusal = { reason: 'Why.', settings: { A: 'b' }, canonical: 'x'.repeat(5_000) };
    const verdict = signatureVerdict(finished({ refusal }));
    expect(verdict).toMatchObject({ state: 'wrong', text: 'Why.', settings: { A: 'b' } });
    expect(verdict.canonical).toHaveLength(4_097);
  });

  it.each(['ad1gestb', 'amisplacedb', 'ainformb'])(
    'blanks a signature out that stands in %s',
    (canonical) => {
      const url = '/users/u/session?clientId=op&sign=misplaced';
      const body = Buffer.from('userId=u&access-token=inform');
      const verdict = signatureVerdict(finished({ body, refusal: { reason: 'Why.', canonical } }, url));
      expect(verdict.canonical).toBe('a[redacted]b');
    },
  );

  it('blanks nothing else out', () => {
    const refusal = { reason: 'Why.', canonical: 'Host h Sign' };
    expect(signatureVerdict(finished({ refusal })).canonical).toBe('Host h Sign');
    const unsigned = { ...finished({ refusal }), rawHeaders: ['Host', 'h'] };
    expect(signatureVerdict(unsigned).canonical).toBe('Host h Sign');
  });

  it('says that nothing was signed, or looked at', () => {
    const { secretKey: _, ...client } = CLIENT;
    expect(signatureVerdict(finished({ call: { client, query: {}, content: {} } })).state).toBe('unsigned');
    expect(signatureVerdict(finished({})).state).toBe('unseen');
  });
});
