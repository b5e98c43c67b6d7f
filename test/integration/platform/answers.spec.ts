import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';

import { buildClient, CALLS, failureOf, OPERATIONS, platform, recordsOf, textOf } from './client.fixture.ts';
import {
  AD_HOC_ATTRIBUTES,
  AD_HOC_REPORT,
  changed,
  collection,
  DOCUMENTS,
  RAKE_REPORT,
  SESSION,
} from './documents.ts';
import { answers } from './local-platform.ts';

type Operation = keyof typeof DOCUMENTS;

const run = <O extends Operation>(operation: O, reportRecords: 'strict' | 'lenient' = 'strict') =>
  CALLS[operation](buildClient({ settings: { reportRecords } }).client) as ReturnType<(typeof CALLS)[O]>;

describe('a success', () => {
  it.each(OPERATIONS)('is read whatever its content type says: %s', async (operation) => {
    platform.always(answers(201, DOCUMENTS[operation], { 'content-type': 'text/html; charset=latin1' }));
    expect(await run(operation)).toBeDefined();
  });

  it('may hold unknown members', async () => {
    platform.always(
      answers(200, { ...(changed(SESSION, 'data/attributes/new', [1]) as object), jsonapi: {} }),
    );
    await expect(run('session.create')).resolves.toMatchObject({ userId: 'u-1' });
  });

  it('may begin with a byte order mark', async () => {
    platform.always(answers(200, `\uFEFF${JSON.stringify(SESSION)}`));
    await expect(run('session.create')).resolves.toBeDefined();
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is decoded although no encoding was requested: %s', async (encoding, encode) => {
    const body = encode(JSON.stringify(SESSION));
    platform.always(answers(200, body, { 'content-encoding': encoding }));
    await expect(run('session.create')).resolves.toBeDefined();
  });
});

describe('a success that is not the document of the interface', () => {
  it.each<[Operation, string, unknown]>([
    ['session.create', 'data', undefined],
    ['session.create', 'data/id', undefined],
    ['session.create', 'data/type', 'Session'],
    ['session.create', 'data/attributes', []],
    ['session.create', 'data/attributes/auth', ''],
    ['session.create', 'data/attributes/redirect-url', null],
    ['game.open', 'data/id', undefined],
    ['game.open', 'data/type', 'session'],
    ['game.open', 'data/attributes/playerId', undefined],
    ['game.open', 'data/attributes/url', undefined],
    ['report.ad-hoc.fetch', 'data', {}],
    ['report.ad-hoc.fetch', 'meta', undefined],
    ['report.ad-hoc.fetch', 'meta/total-count', '1'],
    ['report.ad-hoc.fetch', 'meta/page-count', -1],
    ['report.ad-hoc.fetch', 'meta/current-page', 1.5],
    ['report.ad-hoc.fetch', 'data/0', null],
    ['report.ad-hoc.fetch', 'data/0/type', 'players-rake'],
    ['report.ad-hoc.fetch', 'data/0/attributes', undefined],
    ['report.ad-hoc.fetch', 'data/0/attributes/user-id', undefined],
    ['report.ad-hoc.fetch', 'data/0/attributes/currency', 1],
    ['report.ad-hoc.fetch', 'data/0/attributes/date', undefined],
    ['report.ad-hoc.fetch', 'data/0/attributes/win', '28831'],
    ['report.ad-hoc.fetch', 'data/0/attributes/win', 288.31],
    ['report.ad-hoc.fetch', 'data/0/id', undefined],
    ['report.rake.fetch', 'data/0/attributes/value', '512'],
  ])('%s with %s = %j', async (operation, path, value) => {
    platform.always(answers(200, changed(DOCUMENTS[operation], path, value)));
    const error = await failureOf(run(operation));
    expect(error).toMatchObject({ code: 'PLATFORM_PROTOCOL_ERROR', platform: { status: 200, errors: [] } });
    // By its pointer.
    expect(error.details?.['reason']).toContain(`/${path}`);
    expect(platform.requests).toHaveLength(1);
  });

  it.each([
    ['empty', 200, '', 'the body is empty'],
    ['no content', 204, '', 'the body is empty'],
    ['HTML', 200, '<html>Welcome</html>', 'the body is not JSON'],
    ['JSON that is cut', 200, '{"data":{"id":"auth', 'the body is not JSON'],
    ['a list', 200, '[]', 'the body is not an object'],
    ['a megabyte of brackets', 200, '['.repeat(1_000_000), 'the body is not JSON'],
    [
      'a document that is too large',
      200,
      `"${'x'.repeat(1024 * 1024)}"`,
      'the body is unreadable: too-large',
    ],
  ])('a body that is %s', async (_name, status, body, reason) => {
    platform.always(answers(status, body));
    const error = await failureOf(run('session.create'));
    expect(error).toMatchObject({ code: 'PLATFORM_PROTOCOL_ERROR', details: { reason } });
  });

  it('is refused with the reason if its encoding is unknown, broken, or hides too much', async () => {
    const bomb = gzipSync(Buffer.alloc(2 * 1024 * 1024, 0x20));
    for (const [encoding, body, reason] of [
      ['zstd-2', 'x', 'encoding'],
      ['gzip', 'not gzip', 'encoding'],
      ['gzip', bomb, 'too-large'],
    ] as const) {
      platform.always(answers(200, body, { 'content-encoding': encoding }));
      const error = await failureOf(run('session.create'));
      expect(error.details).toEqual({ reason: `the body is unreadable: ${reason}` });
    }
  });
});

describe('a report', () => {
  it('keeps amounts digit for digit, however large', async () => {
    const text = JSON.stringify(
      collection('ad-hoc-report', [{ ...AD_HOC_ATTRIBUTES, win: 1, loss: 2, bets: 3 }]),
    )
      .replace('"win":1', '"win":9007199254740993')
      .replace('"loss":2', '"loss":-123456789012345678901234567890')
      .replace('"bets":3', '"bets":9007199254740991');
    platform.always(answers(200, text));
    const page = await run('report.ad-hoc.fetch');
    const written = textOf(page);
    expect(written).toContain('"win":9007199254740993,');
    expect(written).toContain('"loss":-123456789012345678901234567890,');
    expect(recordsOf(page)[0]?.['bets']).toBe(9007199254740991);
  });

  it('passes on an odd record as it is, and names what is odd, if the setting is lenient', async () => {
    const odd = {
      ...AD_HOC_ATTRIBUTES,
      'user-id': 7,
      currency: '',
      win: 1.5,
      loss: undefined,
      'tournament-fee': '7',
      'cash-result': null,
      'money-type': 0.1,
    };
    const text = JSON.stringify(collection('ad-hoc-report', [AD_HOC_ATTRIBUTES, odd]));
    platform.always(answers(200, text.replace('1.5', '12345678901234567890.5')));
    const page = await run('report.ad-hoc.fetch', 'lenient');
    expect(textOf(page)).toContain(
      '"userId":7,"date":"2026-01-01","moneyType":0.1,"currency":"","win":12345678901234567890.5,"deposit":3,',
    );
    expect(recordsOf(page)[1]).toMatchObject({ tournamentFee: '7', cashResult: null });
    const NO_TEXT = 'is not a non-empty string';
    const NO_INTEGER = 'is not an integer';
    expect(page.faults).toEqual(
      [
        ['userId', NO_TEXT],
        ['currency', NO_TEXT],
        ['moneyType', NO_INTEGER],
        ['win', NO_INTEGER],
        ['loss', 'is absent'],
        ['tournamentFee', NO_INTEGER],
        ['cashResult', NO_INTEGER],
      ].map(([name, message]) => ({ pointer: `/records/1/${name}`, message })),
    );
    expect(page.faultCount).toBe(7);
  });

  it.each([
    ['data/0/attributes/date', undefined],
    ['data/0/type', 'players-rake'],
    ['meta/total-count', '1'],
  ])('fails with %s = %j, however lenient the setting', async (path, value) => {
    platform.always(answers(200, changed(AD_HOC_REPORT, path, value)));
    const error = await failureOf(run('report.ad-hoc.fetch', 'lenient'));
    expect(error.code).toBe('PLATFORM_PROTOCOL_ERROR');
  });

  it('has no faults if every record is as the interface document has it', async () => {
    platform.always(answers(200, AD_HOC_REPORT));
    expect(await run('report.ad-hoc.fetch', 'lenient')).not.toHaveProperty('faults');
  });

  it('takes the id from the resource, else from its attributes', async () => {
    const [resource] = RAKE_REPORT.data;
    const { id: _id, ...withoutId } = resource!;
    const withId = { ...withoutId, attributes: { ...withoutId.attributes, id: 'from-attributes' } };
    platform.next(answers(200, { ...RAKE_REPORT, data: [resource, withId] }));
    expect(recordsOf(await run('report.rake.fetch')).map(({ id }) => id)).toEqual([
      'record-0',
      'from-attributes',
    ]);
  });

  it('may be empty', async () => {
    platform.next(answers(200, collection('players-rake', [])));
    await expect(run('report.rake.fetch')).resolves.toMatchObject({ written: [], totalCount: 0 });
  });

  it('is not read beyond 16 MiB, and its connection is not used again', async () => {
    platform.next(answers(200, `"${'x'.repeat(17 * 1024 * 1024)}"`), answers(200, RAKE_REPORT));
    const { client } = buildClient();
    expect((await failureOf(CALLS['report.rake.fetch'](client))).details).toEqual({
      reason: 'the body is unreadable: too-large',
    });
    await CALLS['report.rake.fetch'](client);
    expect(platform.connections).toBe(2);
  });

  it('keeps hostile names out of the prototype', async () => {
    const attributes = JSON.parse(
      '{"user-id":"u","currency":"USD","value":1,"__proto__":{"x":1},"-__proto__":{"y":1}}',
    );
    platform.always(answers(200, collection('players-rake', [attributes])));
    expect(textOf(await run('report.rake.fetch'))).toBe(
      '{"id":"record-0","userId":"u","currency":"USD","value":1}',
    );
  });

  it('tolerates unknown members only as deep as they can be serialized again', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const text = JSON.stringify(changed(RAKE_REPORT, 'data/0/attributes/further', 'deep'));
    platform.always(answers(200, text.replace('"deep"', deep)));
    expect((await failureOf(run('report.rake.fetch'))).code).toBe('PLATFORM_PROTOCOL_ERROR');
    platform.always(answers(200, changed(RAKE_REPORT, 'data/0/attributes/further', { a: [{ b: null }] })));
    expect(recordsOf(await run('report.rake.fetch'))).toMatchObject([{ further: { a: [{ b: null }] } }]);
  });
});
