import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { healthy, silent } from '../../support/platform-answers.ts';
import { answerJson, type PlatformBehaviour } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';

/** Also for a call that is answered: a busy machine answers within it. */
const ATTEMPT_TIMEOUT_MS = 2_500;

const resetting: PlatformBehaviour = (_request, _response, socket) => void socket.resetAndDestroy();
const closing: PlatformBehaviour = (_request, _response, socket) => void socket.destroy();
const cuttingShort: PlatformBehaviour = (_request, response, socket) => {
  response
    .writeHead(200, { 'content-type': 'application/vnd.api+json', 'content-length': '500' })
    .write('{"data":');
  setTimeout(() => socket.destroy(), 20);
};

/** The first request one way, the others another. */
function first(one: PlatformBehaviour, others: PlatformBehaviour): PlatformBehaviour {
  let requests = 0;
  return (request, response, socket) => {
    requests += 1;
    return (requests === 1 ? one : others)(request, response, socket);
  };
}

describe('a call that was sent and whose answer was lost', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await ServiceUnderTest.start({
      behaviour: resetting,
      variables: {
        PLATFORM_MAX_ATTEMPTS: '4',
        PLATFORM_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_TIMEOUT_MS),
        CIRCUIT_MINIMUM_CALLS: '1000',
      },
    });
    await service.worker();
  });
  afterEach(() => {
    service.platform.requests.length = 0;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const createSession = async (messageId: string) => {
    const [reply] = await service.caller.send(
      'session.create',
      { userId: 'p-1', nick: 'Ada' },
      { messageId },
    );
    return reply;
  };

  it.each([
    ['the connection is reset', resetting],
    ['the connection is closed', closing],
    ['the answer is cut short', cuttingShort],
    ['no answer comes', silent],
  ])('is repeated once for a session, and then unknown: %s', async (what, behaviour) => {
    service.platform.behaviour = behaviour;
    const reply = await createSession(what);
    expect(reply?.body).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      category: 'uncertain',
      retryable: true,
      attempts: 2,
    });
    expect(service.platform.requests).toHaveLength(2);

    // The reply asks to send it again; that is not a replay.
    service.platform.behaviour = healthy();
    expect((await createSession(what))?.type).toBe('session.created');
  });

  it('is a success if the second call answers', async () => {
    service.platform.behaviour = first(resetting, healthy());
    expect((await createSession('second call'))?.type).toBe('session.created');
    expect(service.platform.requests).toHaveLength(2);
  });

  it('may itself be why the name is taken, and the reply says so', async () => {
    const taken: PlatformBehaviour = (_request, response) =>
      answerJson(response, 422, {
        errors: [{ status: 422, detail: 'A Player with this username already exists in the system.' }],
      });
    service.platform.behaviour = first(resetting, taken);
    const reply = await createSession('taken by ourselves');
    expect(reply?.body).toMatchObject({
      code: 'NICKNAME_TAKEN',
      attempts: 2,
      details: { earlierAttemptUnknown: true },
    });
  });

  it('makes no third call if the second fails transiently', async () => {
    service.platform.behaviour = first(resetting, (_request, response) =>
      answerJson(response, 503, { errors: [] }),
    );
    const reply = await createSession('unknown, then passing');
    expect(service.platform.requests).toHaveLength(2);
    expect(reply?.body).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', retryable: true });
  });

  it('is retried like any other for a game, whose session id stays the same', async () => {
    service.platform.behaviour = resetting;
    const [reply] = await service.caller.send('game.open', { player: { id: 'p-1' } });
    expect(reply?.body).toMatchObject({ code: 'OUTCOME_UNKNOWN', attempts: 4 });
    const sessions = service.platform.requests.map(
      ({ body }) =>
        (JSON.parse(body) as { data: { attributes: { session: { id: string } } } }).data.attributes.session
          .id,
    );
    expect(sessions).toHaveLength(4);
    expect(new Set(sessions).size).toBe(1);
  });
});

describe('a call that was never sent', () => {
  it('counts as not done', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: silent,
      variables: { PLATFORM_BASE_URL: 'http://127.0.0.1:1', PLATFORM_MAX_ATTEMPTS: '2' },
    });
    await service.worker();
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.body).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      category: 'unavailable',
      retryable: true,
    });
  });
});
