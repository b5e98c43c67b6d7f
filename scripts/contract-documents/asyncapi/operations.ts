import { busNames, COMMAND_TYPES, type CommandType, LANE_OF_COMMAND, LANES } from '#contracts';

import { ANNOUNCED } from './channels.ts';

type Operation = Readonly<Record<string, unknown>>;

const names = busNames();
const REPORT_REPLIES = ['report.page', 'report.completed'] as const;

/** What a command is answered with when nothing fails. */
const SUCCESSES: Readonly<Record<CommandType, readonly string[]>> = {
  'session.create': ['session.created'],
  'game.open': ['game.opened'],
  'report.ad-hoc.fetch': REPORT_REPLIES,
  'report.rake.fetch': REPORT_REPLIES,
};

const SENT = { deliveryMode: 2, timestamp: true, bindingVersion: '0.3.0' } as const;

/** What a worker does on the bus; a caller does the reverse. */
export function operations(): Record<string, Operation> {
  const commands = COMMAND_TYPES.map(
    (type) => [`on ${type}`, received(type, [type], SUCCESSES[type])] as const,
  );
  const lanes = LANES.map((lane) => {
    const types = COMMAND_TYPES.filter((type) => LANE_OF_COMMAND[type] === lane);
    const successes = new Set(types.flatMap((type) => SUCCESSES[type]));
    return [
      `on lane ${lane}`,
      received(names.lanes[lane], [...types, 'nest.command'], [...successes], ['nest.reply']),
    ] as const;
  });
  const announced = Object.entries(ANNOUNCED).map(
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
