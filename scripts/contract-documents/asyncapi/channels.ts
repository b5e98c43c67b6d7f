import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND, LANES } from '#contracts';

import { ANNOUNCED, messageReferences, REPLY_NAMES } from './messages.ts';

type Channel = Readonly<Record<string, unknown>>;

const names = busNames();
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
      messages: messageReferences(['command.failed']),
      bindings: { amqp: exchange(names.events, 'topic') },
    },
    ...Object.fromEntries(
      [...ANNOUNCED].map(([reply, message]) => [`announced.${reply}`, announced(reply, message)]),
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
