import { busNames, COMMANDS, LANES } from '#contracts';

import { ANNOUNCED } from './messages.ts';

type Operation = Readonly<Record<string, unknown>>;

const names = busNames();
const SENT = { deliveryMode: 2, timestamp: true, bindingVersion: '0.3.0' } as const;

/** What a worker does on the bus; a caller does the reverse. */
export function operations(): Record<string, Operation> {
  const commands = COMMANDS.map(
    ({ type, replies }) => [`on ${type}`, received(type, [type], typesOf(replies))] as const,
  );
  const lanes = LANES.map((lane) => {
    const ofLane = COMMANDS.filter((command) => command.lane === lane);
    const types = typesOf(ofLane);
    const successes = new Set(ofLane.flatMap(({ replies }) => typesOf(replies)));
    return [
      `on lane ${lane}`,
      received(names.lanes[lane], [...types, 'nest.command'], [...successes], ['nest.reply']),
    ] as const;
  });
  const announced = [...ANNOUNCED].map(
    ([reply, message]) => [`announce ${reply}`, sent(`announced.${reply}`, message, false)] as const,
  );
  return Object.fromEntries(
    [
      ...commands,
      ...lanes,
      ['announce failure', sent('failures', 'command.failed', false)] as const,
      ...announced,
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
