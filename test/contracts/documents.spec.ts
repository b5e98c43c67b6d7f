import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Parser } from '@asyncapi/parser';
import { beforeAll, describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, LANES } from '#contracts';
import { SETTINGS } from '#settings';

import { root } from '../../scripts/root.ts';
import { CONTRACT_FOLDER, contractFiles } from '../../scripts/contract-documents/contract-files.ts';
import { EXAMPLES } from '../../scripts/contract-documents/examples.ts';
import {
  MESSAGES_DOCUMENT,
  messagesDocument,
  messageSections,
} from '../../scripts/contract-documents/messages-document.ts';
import { PYTHON_MESSAGES, pythonMessages } from '../../scripts/contract-documents/python-messages.ts';
import { MESSAGE_NAMES } from '../../scripts/contract-documents/schemas/schemas.ts';
import { topologyOf } from '../../libs/messaging/src/topology/topology.ts';
import { newAjv } from './schema-validators.ts';

const committed = new Map(
  readdirSync(join(root, CONTRACT_FOLDER), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(join(root, CONTRACT_FOLDER).length + 1), readFileSync(file, 'utf8')] as const;
    }),
);
const text = (path: string): string => committed.get(path) ?? '';

describe('docs/contract', () => {
  it('holds what `npm run contract` writes, and openapi.yaml', async () => {
    const generated = await contractFiles();
    expect([...committed.keys()].sort()).toEqual([...generated.keys(), 'openapi.yaml'].sort());
    for (const [path, expected] of generated)
      expect({ path, text: text(path) }).toEqual({ path, text: expected });
  });

  it('has its tables in docs/messages.md, each line readable at 120 columns', async () => {
    const document = readFileSync(join(root, MESSAGES_DOCUMENT), 'utf8');
    expect(document).toBe(await messagesDocument(document));
    const sections = Object.values(await messageSections()).join('\n');
    expect(sections.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  it.each(MESSAGE_NAMES)('has a self-contained schema of %s, with examples that follow it', (name) => {
    const schema = JSON.parse(text(`schemas/${name}.schema.json`)) as { examples: unknown[] };
    const validate = newAjv().compile(schema);
    expect(schema.examples).not.toHaveLength(0);
    for (const example of schema.examples)
      expect([validate(example), validate.errors, example]).toEqual([true, null, example]);
  });
});

describe('libs/caller-python', () => {
  it('has the messages that `npm run contract` writes', () => {
    expect(readFileSync(join(root, PYTHON_MESSAGES), 'utf8')).toEqual(pythonMessages());
  });
});

describe('asyncapi.yaml', () => {
  let parsed: Awaited<ReturnType<Parser['parse']>>;
  beforeAll(async () => {
    parsed = await new Parser().parse(text('asyncapi.yaml'));
  });

  it('is a valid AsyncAPI 3 document', () => {
    const listed = parsed.diagnostics.map(
      ({ code, message, path }) => `${code} ${message} ${path.join('/')}`,
    );
    // The parser suggests 3.1; readers of 3.0 are more.
    expect(listed.filter((line) => !line.startsWith('asyncapi-latest-version'))).toEqual([]);
    expect(parsed.document?.version()).toBe('3.0.0');
  });

  it('has an operation for each command, with its replies', () => {
    const operations = parsed.document?.operations().filterByReceive() ?? [];
    const listed = operations.map((operation) => [
      operation.id(),
      operation.reply()?.address()?.location(),
      operation
        .reply()
        ?.messages()
        .all()
        .map((message) => message.name()),
    ]);
    const reports = ['report.page', 'report.completed'];
    const at = '$message.header#/reply_to';
    expect(listed).toEqual(
      expect.arrayContaining([
        ['onSessionCreate', at, ['session.created', 'command.failed']],
        ['onGameOpen', at, ['game.opened', 'command.failed']],
        ['onReportAdHocFetch', at, [...reports, 'command.failed']],
        ['onReportRakeFetch', at, [...reports, 'command.failed']],
        [
          'onLaneInteractive',
          at,
          expect.arrayContaining(['session.created', 'game.opened', 'command.failed', 'nest.reply']),
        ],
        ['onLaneReports', at, expect.arrayContaining([...reports, 'command.failed', 'nest.reply'])],
      ]),
    );
    expect(listed).toHaveLength(COMMAND_TYPES.length + LANES.length);
  });

  it('names the exchanges and queues that the worker declares', () => {
    const bound = (parsed.document?.channels().all() ?? []).map((channel) => {
      const amqp: Record<string, { name: string; type: string }> | undefined = channel
        .bindings()
        .get('amqp')
        ?.value();
      const { exchange, queue } = amqp ?? {};
      return exchange === undefined ? `queue ${queue?.name}` : `${exchange.type} ${exchange.name}`;
    });
    const { exchanges, queues } = topologyOf('poker', [5000]);
    const declared = [
      'default ',
      ...exchanges.map(({ type, name }) => `${type} ${name}`),
      ...queues.map(({ name }) => `queue ${name}`),
    ];
    const inner = [
      'fanout poker.commands.unknown',
      'queue poker.quarantine',
      'queue poker.reports.retry.5000',
    ];
    expect([...new Set(bound)].sort()).toEqual(declared.filter((name) => !inner.includes(name)).sort());
  });

  it('has the whole topology, arguments and all, under the default settings', () => {
    const delays = String(SETTINGS.REPORTS_RETRY_DELAYS_MS.default).split(',').map(Number);
    const { exchanges, queues, bindings } = topologyOf('poker', delays);
    expect(parsed.document?.extensions().get('x-topology')?.value()).toEqual({ exchanges, queues, bindings });
  });

  it('shows every example of every message', () => {
    for (const name of MESSAGE_NAMES) {
      const examples = parsed.document?.components().messages().get(name)?.examples().all() ?? [];
      expect(examples.map((example) => example.payload())).toEqual(
        EXAMPLES[name]?.map(({ payload }) => payload),
      );
    }
  });
});
