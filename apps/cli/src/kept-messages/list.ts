import type { KeptMessage, KeptQueueOptions } from '#messaging/client';

import { withKeptQueue } from '../bus/with-kept-queue.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { interruptibly, refuseIfInterrupted } from '../interruption.ts';
import { counted, describeGroups, describeMessages, keptLine, type Noun } from './describe-kept.ts';
import { isSelected, type SelectionOptions } from './selection.ts';

export interface ListOptions extends SelectionOptions {
  readonly json?: true;
}

/** Prints what lies in the queue, oldest first, and leaves it as it is. */
export function list(queue: KeptQueueOptions['queue'], noun: Noun, options: ListOptions): Promise<ExitCode> {
  return interruptibly((signal) =>
    withKeptQueue(
      queue,
      async (kept) => {
        let found: KeptMessage[] = [];
        await kept.look(
          ({ facts }) => void (isSelected(facts, options) && found.push(facts)),
          () => (found = []),
        );
        refuseIfInterrupted(signal);
        if (options.json) for (const facts of found) process.stdout.write(keptLine(facts));
        else process.stdout.write(describe(found, kept.name, noun));
        return EXIT.success;
      },
      options,
    ),
  );
}

function describe(found: readonly KeptMessage[], queue: string, noun: Noun): string {
  const headline = `${counted(found.length, noun)} in ${queue}\n`;
  return found.length === 0
    ? headline
    : [headline, describeGroups(found), describeMessages(found)].join('\n');
}
