import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND, LANES } from '#contracts';
import { COMMANDS } from '#contracts/validation';

import { ANNOUNCED, messageReferences, REPLY_NAMES } from './messages.ts';

type Channel = Readonly<Record<string, unknown>>;

const names = busNames();
const SUCCESSES = [...ANNOUNCED].filter(([reply]) => reply !== 'command.failed');
const VERSION = { bindingVersion: '0.3.0' } as const;

/** Every channel that a caller or a person on call meets. */
export function channels(): Record<string, Channel> {
  const commands = COMMAND_TYPES.map((type) => [
    type,
    {
      address: type,
      title: `The routing key ${type} of ${names.commands}`,
      messages: messageReferences([type]),
      bindings: { amqp: exchange(names.commands, 'direct') },
    },
  ]);
  const lanes = LANES.map((lane) => [
    names.lanes[lane],
    {
      address: names.lanes[lane],
      title: `The queue of the lane ${lane}`,
      description:
        'For a command with the property type, and for packets of the RabbitMQ client of NestJS. Do not declare it.',
      messages: messageReferences([
        ...COMMAND_TYPES.filter((type) => LANE_OF_COMMAND[type] === lane),
        'nest.command',
      ]),
      bindings: { amqp: queue(names.lanes[lane]) },
    },
  ]);
  return {
    ...(Object.fromEntries([...commands, ...lanes]) as Record<string, Channel>),
    replies: {
      address: null,
      title: 'The reply queue that the command named',
      description: 'Published to the default exchange with reply_to as routing key: persistent, confirmed.',
      messages: messageReferences([...REPLY_NAMES, 'nest.reply']),
      bindings: { amqp: exchange('', 'default') },
    },
    failures: {
      address: 'command.failed.{code}',
      title: 'Announcements of failures',
      description: 'With EVENTS=errors (the default) and EVENTS=all.',
      parameters: { code: { description: 'The error code.', enum: Object.keys(ERROR_CODES) } },
      messages: messageReferences(['command.failed.announced']),
      bindings: { amqp: exchange(names.events, 'topic') },
    },
    ...Object.fromEntries(
      SUCCESSES.map(([reply, message]) => [`announced.${reply}`, announced(reply, message)]),
    ),
    [names.deadLetters]: kept(names.deadLetters, 'Commands that will not be tried again', 'dead-letter'),
    [names.undelivered]: kept(names.undelivered, 'Replies that nobody took', 'undelivered-reply'),
  };
}

function announced(reply: string, message: string): Channel {
  return {
    address: reply,
    title: `Announcements of ${reply}`,
    description: 'With EVENTS=all alone.',
    messages: messageReferences([message]),
    bindings: { amqp: exchange(names.events, 'topic') },
  };
}

function kept(name: string, title: string, message: string): Channel {
  return { address: name, title, messages: messageReferences([message]), bindings: { amqp: queue(name) } };
}

function exchange(name: string, type: string): object {
  return { is: 'routingKey', exchange: { name, type, durable: true, autoDelete: false }, ...VERSION };
}

function queue(name: string): object {
  return { is: 'queue', queue: { name, durable: true, exclusive: false, autoDelete: false }, ...VERSION };
}

type Operation = Readonly<Record<string, unknown>>;

const SENT = { deliveryMode: 2, timestamp: true, bindingVersion: '0.3.0' } as const;

/** What a worker does on the bus; a caller does the reverse. */
export function operations(): Record<string, Operation> {
  const commands = COMMANDS.map(
    ({ type, replies }) => [`on ${type}`, received(type, [type], typesOf(replies))] as const,
  );
  const lanes = LANES.map((lane) => {
    const ofLane = COMMANDS.filter(({ type }) => LANE_OF_COMMAND[type] === lane);
    const types = typesOf(ofLane);
    const successes = new Set(ofLane.flatMap(({ replies }) => typesOf(replies)));
    return [
      `on lane ${lane}`,
      received(names.lanes[lane], [...types, 'nest.command'], [...successes], ['nest.reply']),
    ] as const;
  });
  const announcements = SUCCESSES.map(
    ([reply, message]) => [`announce ${reply}`, sent(`announced.${reply}`, message, false)] as const,
  );
  return Object.fromEntries(
    [
      ...commands,
      ...lanes,
      ['announce failure', sent('failures', 'command.failed.announced', false)] as const,
      ...announcements,
      ['keep dead letter', sent(names.deadLetters, 'dead-letter', true)] as const,
      ['keep undelivered reply', sent(names.undelivered, 'undelivered-reply', true)] as const,
    ].map(([name, operation]) => [inCamelCase(name), operation]),
  );
}

const typesOf = (messages: readonly { readonly type: string }[]): string[] =>
  messages.map(({ type }) => type);

function received(
  channel: string,
  messages: readonly string[],
  successes: readonly string[],
  packets: readonly string[] = [],
): Operation {
  return {
    action: 'receive',
    channel: { $ref: `#/channels/${channel}` },
    messages: within(channel, messages),
    bindings: { amqp: { ack: true, bindingVersion: '0.3.0' } },
    reply: {
      address: { location: '$message.header#/reply_to', description: 'The basic property reply_to.' },
      channel: { $ref: '#/channels/replies' },
      messages: within('replies', [...successes, 'command.failed', ...packets]),
    },
  };
}

function sent(channel: string, message: string, isMandatory: boolean): Operation {
  return {
    action: 'send',
    channel: { $ref: `#/channels/${channel}` },
    messages: within(channel, [message]),
    bindings: { amqp: { ...SENT, mandatory: isMandatory } },
  };
}

function within(channel: string, messages: readonly string[]): object[] {
  return messages.map((message) => ({ $ref: `#/channels/${channel}/messages/${message}` }));
}

/** `on game.open` as `onGameOpen`. */
function inCamelCase(name: string): string {
  return name.replace(/[ .-](\w)/g, (_separator, letter: string) => letter.toUpperCase());
}
