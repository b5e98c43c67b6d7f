import type { ConsumeMessage } from 'amqplib';

import type { ServiceUnderTest } from '../../support/service-under-test.ts';
import { canariesIn } from './canary.ts';
import { finalsOf, type Outcome } from './outcome.ts';

/**
 * Searches every output of the worker, except for successful replies, for values that must not occur in it.
 */
export async function searchOutputs({ caller, running }: ServiceUnderTest) {
  const events = await caller.events();
  let searched = 0;
  return {
    /**
     * Returns the values found since the last call in the log, the events and the outcomes of these commands.
     */
    search: (outcomes: readonly Outcome[]): string[] => {
      const { stdout, stderr } = running;
      // The last line may be incomplete.
      const logEnd = stdout.lastIndexOf('\n') + 1;
      const log = stdout.slice(searched, logEnd);
      searched = logEnd;
      return [
        ...named('stderr', stderr),
        ...named('log', log),
        ...events.splice(0).flatMap((event) => named('event', wholeOf(event))),
        ...outcomes.flatMap(foundIn),
      ];
    },

    /** Returns the values found in the outputs that show the worker's state. */
    searchState: async (): Promise<string[]> => {
      const paths = ['/health', '/health/ready', '/metrics'];
      const found = paths.map(async (path) => named(path, (await running.get(path)).body));
      return (await Promise.all(found)).flat();
    },
  };
}

function foundIn(outcome: Outcome): string[] {
  const { sent, replies, undelivered, deadLetters } = outcome;
  // This also applies to a Nest packet.
  const failures = finalsOf(outcome).filter(({ properties }) => properties.type === 'command.failed');
  return [
    ...failures.flatMap((reply) => named('error body', String(reply.content))),
    ...[...replies, ...undelivered].flatMap((reply) =>
      named('reply headers', JSON.stringify(reply.properties)),
    ),
    // A dead letter contains the body of the command and the properties about its sender unchanged.
    ...deadLetters.flatMap((letter) => named('dead letter', writtenByUs(letter, sent.options))),
  ];
}

function writtenByUs({ properties }: ConsumeMessage, sent: object): string {
  const theirs = new Set(Object.values(sent));
  const entries = [...Object.entries(properties), ...Object.entries(properties.headers ?? {})];
  return JSON.stringify(entries.filter(([name, value]) => name !== 'headers' && !theirs.has(value)));
}

function wholeOf({ properties, content, fields }: ConsumeMessage): string {
  return `${fields.routingKey} ${JSON.stringify(properties)} ${String(content)}`;
}

function named(where: string, text: string): string[] {
  return canariesIn(text).map((found) => `${where}: ${found}`);
}
