import type { Context } from '@opentelemetry/api';

import type { Deadline, Holding } from '#resilience';

import type { Envelope } from '../envelope/envelope.ts';
import type { CommandTrace } from '../observer/command-tracer.ts';
import { CommandContext } from './command-context.ts';
import type { Progress } from './progress.ts';

/** What changes while a command runs, and what its handler sees of it. */
export class CommandRun extends CommandContext {
  readonly id: string;
  readonly caller: string;
  readonly operator: string;
  readonly deadline: Deadline;
  /** Of the next reply. */
  sequence: number;
  /** The page that is being sent. */
  sending: Promise<void> | undefined;
  /** Whether a page was parked: the replies after it are parked, too, so that they arrive in sequence. */
  isParked = false;
  /** What its compartment holds of the lane, itself included. */
  holding: Holding | undefined;
  /** Whether it is settled by what an earlier one came to. */
  isRepeat = false;
  trace: CommandTrace | undefined;

  /** @param before how far an earlier run came */
  constructor(
    { id, caller, operator }: Pick<Envelope, 'id' | 'caller' | 'operator'>,
    deadline: Deadline,
    before: { readonly sequence: number; readonly progress?: Progress },
  ) {
    super();
    this.id = id;
    this.caller = caller;
    this.operator = operator;
    this.deadline = deadline;
    this.sequence = before.sequence;
    this.progress = before.progress;
  }

  get traceContext(): Context | undefined {
    return this.trace?.context;
  }
}
