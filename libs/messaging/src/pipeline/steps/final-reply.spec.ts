import { describe, expect, it } from '@jest/globals';
import { EMPTY, of, throwError } from 'rxjs';

import { CommandError, type Reply } from '#contracts';

import { finalReply } from './final-reply.ts';

const FINAL: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'a', redirectUrl: 'https://play.example' },
};
const COMPLETED: Reply = {
  type: 'report.completed',
  data: { report: 'rake', pages: 2, records: 2, totalCount: 2, changedWhileReading: false },
};
const page = (number: number): Reply => ({
  type: 'report.page',
  data: {
    report: 'rake',
    page: number,
    pageCount: 2,
    perPage: 1,
    totalCount: 2,
    precisions: {},
    records: [],
  },
});

async function* pages(...replies: Reply[]) {
  yield* replies;
}

async function run(produced: unknown) {
  const emitted: Reply[] = [];
  const final = await finalReply(produced, (reply) => Promise.resolve(void emitted.push(reply)));
  return { emitted, final };
}

describe('finalReply', () => {
  it.each([
    ['a reply', FINAL],
    ['an observable of it, as Nest wraps it', of(FINAL)],
    ['a generator of it', pages(FINAL)],
    ['an observable of a generator', of(pages(FINAL))],
  ])('takes %s for the final one', async (_, produced) => {
    expect(await run(produced)).toEqual({ emitted: [], final: FINAL });
  });

  it.each([
    ['a generator', (replies: AsyncIterable<Reply>) => replies],
    ['an observable of a generator', (replies: AsyncIterable<Reply>) => of(replies)],
  ])('hands over the pages of %s in order, and the last reply as final', async (_, wrap) => {
    const replies = pages(page(1), page(2), COMPLETED);
    expect(await run(wrap(replies))).toEqual({ emitted: [page(1), page(2)], final: COMPLETED });
  });

  it('lets the handler go on only when a page was taken', async () => {
    const events: string[] = [];
    async function* handler() {
      events.push('reads 1');
      yield page(1);
      events.push('reads 2');
      yield COMPLETED;
    }
    await finalReply(handler(), async () => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push('1 is taken');
    });
    expect(events).toEqual(['reads 1', '1 is taken', 'reads 2']);
  });

  it.each([
    ['after its final reply', () => Promise.resolve()],
    ['whose page was not taken', () => Promise.reject(new Error('refused'))],
  ])('lets a generator clean up %s', async (_, emit) => {
    let isClosed = false;
    async function* handler() {
      try {
        yield page(1);
        yield COMPLETED;
        yield page(2);
      } finally {
        isClosed = true;
      }
    }
    await finalReply(handler(), emit).catch(() => undefined);
    expect(isClosed).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['a page alone', page(1)],
    ['a generator of nothing', pages()],
    ['a generator that ends after a page', pages(page(1))],
  ])('takes %s for a fault of ours', async (_, produced) => {
    await expect(run(produced)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it('rejects if an observable ends without an element', async () => {
    await expect(run(EMPTY)).rejects.toThrow();
  });

  it.each([
    ['an observable', throwError(() => new CommandError('NOT_FOUND'))],
    [
      'a generator',
      (async function* () {
        yield page(1);
        throw new CommandError('NOT_FOUND');
      })(),
    ],
  ])('fails as %s fails', async (_, produced) => {
    await expect(run(produced)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
