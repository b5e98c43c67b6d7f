import type { ConsumeMessage } from 'amqplib';

import { busDialect, type Dialect } from '../driver/dialect.ts';
import type { BenchCommand, Workload } from '../driver/workload.ts';
import { mixedCommand, type SeenReply } from './mixed-commands.ts';

/** Of so many commands sent one after the other, the second is the first once more. */
const REPEATS_EVERY = 26;
const MOST_FAULTS = 5;

/** Mixed commands, some of them sent twice, each with all of its replies as its answer. */
export class MixedWorkload implements Workload, Dialect {
  /** The first that were answered wrongly, for people. */
  readonly faults: string[] = [];
  /** Commands that break the contract, and so lie among the dead letters. */
  refused = 0;
  readonly publish: Dialect['publish'];
  readonly #replies = new Map<string, SeenReply[]>();

  constructor(prefix: string) {
    this.publish = busDialect(prefix).publish;
  }

  /** Commands some of whose replies have come, and not the final one; replies beyond a final one are among them. */
  get unfinished(): number {
    return this.#replies.size;
  }

  command(sequence: number): BenchCommand {
    const { type, data } = mixedCommand(numberOf(sequence));
    return { type, data, ...(isRepeat(sequence) && { repeats: sequence - 1 }) };
  }

  readFinal({ properties, content }: ConsumeMessage): { readonly answer: readonly SeenReply[] } | undefined {
    const correlationId = String(properties.correlationId);
    const reply: SeenReply = {
      type: String(properties.type),
      sequence: Number(properties.headers?.['sequence']),
      isFinal: properties.headers?.['final'] === true,
      body: JSON.parse(content.toString()) as Record<string, unknown>,
    };
    const replies = [...(this.#replies.get(correlationId) ?? []), reply];
    this.#replies.set(correlationId, replies);
    if (!reply.isFinal) return undefined;
    this.#replies.delete(correlationId);
    return { answer: replies };
  }

  isRight(sequence: number, answer: unknown): boolean {
    const replies = answer as readonly SeenReply[];
    const last = replies.at(-1);
    const command = mixedCommand(numberOf(sequence));
    const isRight = command.isAnsweredBy(replies);
    if (last?.body['category'] === 'invalid') this.refused += 1;
    if (!isRight && this.faults.length < MOST_FAULTS)
      this.faults.push(`${command.type} ${JSON.stringify(last?.body)}`);
    return isRight;
  }
}

/** Which command it is: a repeat is the same as the one before it. */
function numberOf(sequence: number): number {
  return sequence - Math.ceil(sequence / REPEATS_EVERY);
}

function isRepeat(sequence: number): boolean {
  return sequence % REPEATS_EVERY === 1;
}
