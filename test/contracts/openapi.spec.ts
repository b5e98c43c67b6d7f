import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';

import { FIGURE_NAMES } from '../../apps/sandbox/src/reports/figures.ts';
import { PLAYER_MEMBERS, SESSION_MEMBERS } from '../../apps/sandbox/src/sessions/sessions.controller.ts';
import { GamePlayer, GameSession } from '#contracts/validation';
import { AD_HOC_RECORD } from '#platform';
import { CONTRACT_FOLDER } from '../../scripts/contract-documents/contract-files.ts';
import { root } from '../../scripts/root.ts';
import { type Received, signFlat } from '../support/sandbox-client.ts';
import { sharedSandbox } from '../integration/sandbox/sandbox-under-test.ts';
import { folderForAll } from '../support/suite-service.ts';
import { faultsBy, newAjv } from './schema-validators.ts';

interface Media {
  readonly schema: { readonly $ref: string };
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Body {
  readonly content: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

const ID = 'urn:poker-bridge:openapi';
const document = parse(readFileSync(join(root, CONTRACT_FOLDER, 'openapi.yaml'), 'utf8')) as Record<
  string,
  any
>;
const operations = Object.values(document['paths'] as Record<string, Record<string, Operation>>).flatMap(
  (path) => Object.values(path),
);
const ajv = newAjv().addVocabulary(['components']);
ajv.addSchema({ $id: ID, components: { schemas: document['components'].schemas } });

const bySchema = ({ schema }: Media, value: unknown): readonly string[] =>
  faultsBy(ajv.getSchema(ID + schema.$ref) ?? ajv.compile({ $ref: ID + schema.$ref }), value);

/** Returns the differences between an answer of the sandbox and the document; empty if they match. */
function faultsOf(operationId: string, { status, headers, json }: Received): readonly string[] {
  const answer = operations.find((operation) => operation.operationId === operationId)?.responses[status];
  const media = answer?.content[headers['content-type'] ?? ''];
  return media === undefined ? [`${status} ${headers['content-type']} is not shown`] : bySchema(media, json);
}

const DAY = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };
const CLIENTS = { closed: { secretKey: 'sandbox-secret-key', operations: [] } };

describe('openapi.yaml', () => {
  const sandbox = sharedSandbox({
    SANDBOX_CLIENTS_FILE: folderForAll().write('clients.json', JSON.stringify(CLIENTS)),
    SANDBOX_UNKNOWN_PLAYERS: 'refuse',
    SANDBOX_CURRENCY_MANDATORY: 'true',
  });

  const player = (nick?: string) => ({ id: 'ada', currency: 'EUR', ...(nick !== undefined && { nick }) });
  const open = (nick = '') => sandbox.openGame({ player: player(nick) }, `sandboxEURada${nick}OpenGame`);

  it('is a valid OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('has examples that follow their schemas', () => {
    const bodies = operations.flatMap(({ requestBody, responses }) => [
      ...(requestBody ? [requestBody] : []),
      ...Object.values(responses),
    ]);
    expect(bodies.filter(({ content }) => Object.keys(content).length === 0)).toEqual([]);
    const media = bodies.flatMap(({ content }) => Object.values(content));
    expect(media).not.toHaveLength(0);
    for (const one of media) {
      const examples = [one.example, ...Object.values(one.examples ?? {}).map(({ value }) => value)].filter(
        (value) => value !== undefined,
      );
      expect(examples).not.toHaveLength(0);
      for (const example of examples) expect(bySchema(one, example)).toEqual([]);
    }
  });

  it('documents the successful answers of the sandbox', async () => {
    const answers: [string, Received][] = [
      ['openGame', await open('Ace')],
      ['createSession', await sandbox.session('ada', { currency: 'EUR' })],
      ['fetchAdHocReport', await sandbox.adHoc(DAY, { 'per-page': '1000' })],
      ['fetchRake', await sandbox.rake(DAY, { 'per-page': '1000', timeZone: '+03:00' })],
    ];
    for (const [operation, answer] of answers)
      expect([operation, answer.status, faultsOf(operation, answer)]).toEqual([operation, 200, []]);
  });

  it('documents the error answers of the sandbox', async () => {
    await open('Ace');
    const rakeOfClosed = {
      method: 'GET',
      path: '/api/web/v2/app/users/rake?clientId=closed',
      headers: { 'content-type': 'application/x-www-form-urlencoded', sign: signFlat(DAY) },
      body: new URLSearchParams(DAY).toString(),
    };
    const asJson = { method: 'POST', path: '/apiweb/v3/open-game?client=sandbox', body: '{}' };
    const answers: [string, number, Received][] = [
      ['createSession', 400, await sandbox.session('ada', { currency: 'EUR' }, { sign: 'wrong' })],
      ['createSession', 404, await sandbox.session('nobody', { currency: 'EUR' })],
      ['createSession', 422, await sandbox.session('ada', { currency: 'XXX' })],
      ['openGame', 415, await sandbox.send({ ...asJson, headers: { 'content-type': 'application/json' } })],
      [
        'openGame',
        422,
        await sandbox.openGame(
          { player: { id: 'bob', currency: 'EUR', nick: 'Ace' } },
          'sandboxEURbobAceOpenGame',
        ),
      ],
      ['fetchAdHocReport', 422, await sandbox.adHoc({ ...DAY, dateTo: DAY.dateFrom })],
      ['fetchRake', 403, await sandbox.send(rakeOfClosed)],
    ];
    for (const status of [429, 500])
      for (const call of [
        ['createSession', () => sandbox.session('ada', { currency: 'EUR' })] as const,
        ['openGame', () => open()] as const,
        ['fetchAdHocReport', () => sandbox.adHoc(DAY)] as const,
      ]) {
        await sandbox.control('POST', 'faults', { kind: 'status', status, retryAfter: '1', count: 1 });
        answers.push([call[0], status, await call[1]()]);
      }
    for (const [operation, status, answer] of answers)
      expect([operation, answer.status, faultsOf(operation, answer)]).toEqual([operation, status, []]);
  });

  it('names the members that the sandbox reads and the worker sends', () => {
    const sent = (members: readonly string[]) => members.filter((name) => name !== 'extra').toSorted();
    const { OpenGameSession: session, OpenGamePlayer: game } = document['components'].schemas;
    expect(Object.keys(session.properties).sort()).toEqual(sent(GameSession.members));
    expect(Object.keys(game.properties).sort()).toEqual(sent(GamePlayer.members));
    expect(Object.keys(session.properties).sort()).toEqual(Object.keys(SESSION_MEMBERS).sort());
    expect(Object.keys(game.properties).sort()).toEqual([...Object.keys(PLAYER_MEMBERS), 'country'].sort());
    const figures = Object.keys(document['components'].schemas.AdHocRecord.properties.attributes.properties);
    expect(figures.slice(-FIGURE_NAMES.length)).toEqual(FIGURE_NAMES);
    expect(AD_HOC_RECORD.integers).toEqual(['money-type', ...FIGURE_NAMES]);
  });
});
