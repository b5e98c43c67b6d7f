import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { adHocAttributes, DAY, gameDocument, PAGED_DAY } from '../../support/platform-answers.ts';
import { answerJson } from '../../support/platform-stub.ts';
import { serviceForAll } from '../../support/suite-service.ts';

/** An answer of a platform, and the reply that follows; `the …` in a body or a header is replaced here. */
interface Row {
  readonly operation: keyof typeof COMMANDS;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly command?: object;
  /** The type of the final reply, or the code of the failure. */
  readonly reply: string;
  readonly page?: object;
  readonly details?: object;
  readonly violations?: readonly string[];
  readonly says?: string;
  readonly retryAfterMs?: number;
}

const FILE = new URL('../../vectors/platform-answers.json', import.meta.url);
const ROWS = (JSON.parse(readFileSync(FILE, 'utf8')) as Row[]).map((row) => ({ ...row, body: bodyOf(row) }));
const COMMANDS = {
  'session.create': { userId: 'u-1' },
  'game.open': { player: { id: 'u-1', nick: 'Ace', currency: 'EUR' } },
  'report.ad-hoc.fetch': DAY,
  'report.rake.fetch': PAGED_DAY,
};

function bodyOf({ body }: Row): unknown {
  const record = { type: 'ad-hoc-report', id: 'u-1-82-2026-01-01', attributes: adHocAttributes('u-1') };
  const text = JSON.stringify(body).replace('"the record"', JSON.stringify(record));
  if (body === 'the document') return gameDocument('u-1');
  if (body !== 'the document and 1 MiB') return typeof body === 'string' ? body : JSON.parse(text);
  return { ...gameDocument('u-1'), more: Array.from({ length: 350_000 }, () => ({})) };
}

describe('an answer of a platform', () => {
  const service = serviceForAll({ behaviour: () => undefined, workers: 1 });

  it.each(ROWS)('is $reply to $operation: $status $body', async ({ body, ...row }) => {
    const { operation, command = COMMANDS[operation], headers = {} } = row;
    service.platform.behaviour = (_request, response) => {
      for (const [name, value] of Object.entries(headers)) {
        const isEpoch = value === 'the epoch in 60 s';
        response.setHeader(name, isEpoch ? String(Math.ceil(Date.now() / 1000) + 60) : value);
      }
      answerJson(response, row.status, body);
    };
    const replies = await service.caller.send(operation, command);
    const { type, body: said } = replies.at(-1)!;
    expect(type === 'command.failed' ? said['code'] : type).toBe(row.reply);
    const { page, details, says, violations, retryAfterMs = 0 } = row;
    if (page) {
      expect(replies[0]?.body).toMatchObject(page);
      expect(said).toMatchObject({ pages: 1, records: 1, missing: 0, faults: 0 });
    }
    if (details) expect(said['details']).toEqual(details);
    if (says) expect(said['message']).toContain(says);
    const pointers = (said['violations'] as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(violations);
    // An epoch has whole seconds.
    expect(Math.ceil((Number(said['retryAfterMs'] ?? 0) - retryAfterMs) / 1000)).toBeLessThanOrEqual(1);
  });
});
