import { hash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { healthy, PAGED_DAY } from '../../support/platform-answers.ts';
import { answerJson, type PlatformRequest, PlatformStub } from '../../support/platform-stub.ts';
import { folderForAll, serviceForEach } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import type { WorkerUnderTest } from '../../support/worker-under-test.ts';

const READ_AGAIN = 'settings files reloaded';

const folder = folderForAll();
const service = serviceForEach({ behaviour: healthy(3), variables: { REPORTS_RETRY_DELAYS_MS: '8000' } });

const operators = (members: object): string => folder.write('operators.json', JSON.stringify(members));
const linesOf = (worker: WorkerUnderTest, text: string) => worker.log.filter(({ msg }) => msg === text);
const createSession = async (operator: string) => {
  const [reply] = await service.caller.send('session.create', { userId: 'p-1' }, { headers: { operator } });
  return reply?.type === 'session.created' ? 'created' : String(reply?.body['code']);
};
/** The client id of a request, and whether the request is signed with the key of that client. */
const signerOf = ({ url, headers }: PlatformRequest): string => {
  const clientId = url.searchParams.get('clientId');
  return headers['sign'] === hash('sha256', `p-1key of ${clientId}`) ? `${clientId}` : `${clientId}, wrongly`;
};

describe('credentials that change while a worker runs', () => {
  it('are used for new calls; each call uses a single version', async () => {
    const OPERATORS_FILE = operators({ acme: { clientId: 'first', secretKey: 'key of first' } });
    const worker = await service.worker({ OPERATORS_FILE });
    let isChanging = true;
    const load = async (): Promise<void> => {
      while (isChanging) expect(await createSession('acme')).toBe('created');
    };
    const callers = Array.from({ length: 8 }, load);
    await until('calls are made', () => service.platform.requests.length > 20);
    operators({ acme: { clientId: 'second', secretKey: 'key of second' } });
    await until('the new ones are used', () => {
      const last = service.platform.requests.at(-1);
      return last !== undefined && signerOf(last) === 'second';
    });
    isChanging = false;
    await Promise.all(callers);
    const signers = service.platform.requests.map(signerOf);
    expect(new Set(signers)).toEqual(new Set(['first', 'second']));
    expect(signers.lastIndexOf('first') - signers.indexOf('second')).toBeLessThan(8);
    await until('it is logged', () => linesOf(worker, READ_AGAIN).length > 0);
    expect(linesOf(worker, READ_AGAIN)).toHaveLength(1);
  });

  it('are reloaded from secret key files', async () => {
    const keyFile = folder.write('acme.key', 'old\n');
    const defaultFile = folder.write('default.key', 'old\n');
    await service.worker({
      OPERATORS_FILE: operators({ acme: { clientId: 'op', secretKeyFile: keyFile } }),
      PLATFORM_SECRET_KEY: '',
      PLATFORM_SECRET_KEY_FILE: defaultFile,
    });
    for (const [operator, name] of [
      ['acme', 'acme.key'],
      ['default', 'default.key'],
    ] as const) {
      const isSignedWith = async (key: string): Promise<boolean> => {
        await createSession(operator);
        return service.platform.requests.at(-1)?.headers['sign'] === hash('sha256', `p-1${key}`);
      };
      expect(await isSignedWith('old')).toBe(true);
      folder.write(name, 'new\n');
      await until('the new key is used', () => isSignedWith('new'));
    }
  });

  it('apply when an operator is added, moved or removed', async () => {
    await using other = await PlatformStub.start(healthy());
    const acme = { clientId: 'op', secretKey: 'key of op' };
    const worker = await service.worker({ OPERATORS_FILE: operators({}) });
    expect(await createSession('acme')).toBe('UNKNOWN_OPERATOR');
    operators({ acme });
    await until('it is known', async () => (await createSession('acme')) === 'created');
    const { origin } = other;
    operators({ acme: { ...acme, baseUrl: `${origin}/api/web`, apiUrl: origin } });
    await until('it has moved', async () => {
      await createSession('acme');
      return other.requests.length > 0;
    });
    operators({});
    await until('it is unknown', async () => (await createSession('acme')) === 'UNKNOWN_OPERATOR');
    expect((await worker.get('/metrics')).body).not.toContain('operator="acme"');
  });

  it('do not invalidate headers that a worker sealed before the change', async () => {
    let hasFailed = false;
    service.platform.behaviour = (request, response, socket) => {
      if (request.url.searchParams.get('page') !== '2' || hasFailed)
        return healthy(3)(request, response, socket);
      hasFailed = true;
      answerJson(response, 503, { errors: [] });
    };
    const key = folder.write('default.key', 'old');
    const worker = await service.worker({
      PLATFORM_SECRET_KEY: '',
      PLATFORM_SECRET_KEY_FILE: key,
      PLATFORM_MAX_ATTEMPTS: '1',
    });
    const report = service.caller.send('report.rake.fetch', PAGED_DAY);
    await until('it is postponed', () => linesOf(worker, 'command postponed').length > 0);
    folder.write('default.key', 'new');
    await until('the key is read again', () => linesOf(worker, READ_AGAIN).length > 0);
    expect((await report).map(({ type }) => type)).toEqual([
      ...Array<string>(3).fill('report.page'),
      'report.completed',
    ]);
    const pages = service.platform.requests.map(({ url }) => url.searchParams.get('page'));
    // The first page is not requested again; page 3 may have been prefetched.
    expect(pages.filter((page) => page !== '3').toSorted()).toEqual(['1', '2', '2']);
  });
});
