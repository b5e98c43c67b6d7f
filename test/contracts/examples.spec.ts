import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { COMMAND_TYPES, type CommandType, type ErrorCode, isFinalReplyType, type Reply } from '#contracts';
import { REPLIES, validateCommand } from '#contracts/validation';

import type { Command } from '../../libs/messaging/src/command/command.ts';
import type { Envelope } from '../../libs/messaging/src/envelope/open-envelope.ts';
import { BUS_OF_SPEC } from '../../libs/messaging/src/envelope/bus.fixture.ts';
import { openEnvelope } from '../../libs/messaging/src/envelope/open-envelope.ts';
import { eventMessage, replyMessage } from '../../libs/messaging/src/replies/reply-message.ts';
import {
  ANNOUNCED,
  COMMAND_HEADERS,
  MESSAGES,
  REPLY_HEADERS,
} from '../../scripts/contract-documents/asyncapi/messages.ts';
import { ERROR_EXAMPLES, type Example, EXAMPLES } from '../../scripts/contract-documents/message-examples.ts';
import type { JsonSchema } from '../../scripts/contract-documents/schemas/json-schema.ts';
import { faultsBySchema } from './schema-validators.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');
const REPLY_TYPES = [...REPLIES.keys()];
const QUEUE = 'lobby';
const PACKET_ID = 'id of a packet';

const examplesOf = (...names: readonly string[]): [string, string, Example][] =>
  names.flatMap((name) =>
    (EXAMPLES[name] ?? []).map((example) => [name, example.name, example] as [string, string, Example]),
  );

function opened({ headers, payload }: Example, type?: string): Envelope {
  const properties = {
    replyTo: 'my-replies',
    messageId: 'id-1',
    headers,
    ...(type !== undefined && { type }),
  };
  const message = { content: Buffer.from(JSON.stringify(payload)), fields: { routingKey: '' }, properties };
  return openEnvelope(message as unknown as ConsumeMessage, { ...BUS_OF_SPEC, nowMs: () => NOW_MS });
}

/** Returns the command that a worker would answer with the reply of an example. */
function answered({ headers }: Example, form: Envelope['form']): Command {
  const envelope = {
    form,
    id: form === 'packet' ? PACKET_ID : String(headers['command-id']),
    caller: headers['caller'],
    operator: String(headers['operator']),
    type: String(headers['command-type']),
    correlationId: 'correlation-1',
    traceparent: headers['traceparent'],
    data: {},
  } as unknown as Envelope;
  const replies = { sequence: Number(headers['sequence']) };
  return { envelope, replies, attempts: headers['attempts'], nowMs: () => NOW_MS } as unknown as Command;
}

describe.each(examplesOf(...COMMAND_TYPES))('%s, example %s', (type, _name, example) => {
  it('is accepted by the worker', () => {
    expect(opened(example, type)).toMatchObject({ form: 'typed', type, fault: undefined, violations: [] });
    expect(validateCommand(type as CommandType, example.payload)).toMatchObject(example.payload as object);
    expect(faultsBySchema(COMMAND_HEADERS, example.headers)).toEqual([]);
  });
});

describe.each(examplesOf('nest.command'))('%s, example %s', (_schema, type, example) => {
  it('is accepted by the worker', () => {
    const { data, ...envelope } = opened(example);
    expect(envelope).toMatchObject({ form: 'packet', type, fault: undefined, violations: [] });
    expect(validateCommand(type as CommandType, data)).toMatchObject(data as object);
  });
});

describe.each(examplesOf(...REPLY_TYPES))('%s, example %s', (type, _name, example) => {
  const reply = { type, data: example.payload } as Reply;

  it('is a message that the worker would send', () => {
    const { properties, content } = replyMessage(answered(example, 'typed'), reply, QUEUE);
    expect(JSON.parse(content.toString())).toEqual(example.payload);
    expect(properties.headers).toEqual(example.headers);
    expect(faultsBySchema(REPLY_HEADERS, example.headers)).toEqual([]);
    expect(example.headers['final']).toBe(isFinalReplyType(reply.type));
  });

  it('is a packet that follows its schema', () => {
    const { content } = replyMessage(answered(example, 'packet'), reply, QUEUE);
    expect(faultsBySchema('nest.reply', JSON.parse(content.toString()))).toEqual([]);
  });
});

it('a packet that answers is a message that the worker would send', () => {
  const actual = examplesOf('nest.reply').map(([, type, { headers, payload }]) => {
    const { response, err, id } = payload as Record<string, unknown>;
    const example = examplesOf(type).find(
      ([, name]) => type !== 'command.failed' || name === 'VALIDATION_FAILED',
    )?.[2];
    const reply = { type, data: response ?? err } as Reply;
    const command = answered({ ...example, headers } as Example, 'packet');
    const { content } = replyMessage(command, reply, QUEUE);
    expect({ ...(JSON.parse(content.toString()) as object), id }).toEqual(payload);
    return type;
  });
  expect(actual).toEqual(REPLY_TYPES);
});

it.each([...ANNOUNCED])('an announcement of %s contains what %s shows', (type, name) => {
  const [[, , example]] = examplesOf(type) as [[string, string, Example]];
  const reply = { type, data: example.payload } as Reply;
  const message = MESSAGES[name] as {
    examples: [Example];
    payload: JsonSchema;
    headers: JsonSchema;
  };
  const [shown] = message.examples;
  const { content, properties } = eventMessage(answered(shown, 'typed'), reply, 'poker.events');
  expect(JSON.parse(content.toString())).toEqual(shown.payload);
  expect({ ...properties.headers, worker: shown.headers['worker'] }).toEqual(shown.headers);
  expect(faultsBySchema(message.payload, shown.payload)).toEqual([]);
  expect(faultsBySchema(message.headers, shown.headers)).toEqual([]);
});

it("the examples of command.failed have the worker's own messages", () => {
  const example = ERROR_EXAMPLES.find(({ name }) => name === ('VALIDATION_FAILED' satisfies ErrorCode));
  const actual = (): unknown =>
    validateCommand('session.create', { userId: 'alice', lang: 'english', password: 'x' });
  expect(actual).toThrow(expect.objectContaining({ violations: example?.payload.violations }));
});
