/** One command as the driver sends it, whatever worker takes it. */
export interface BenchCommand {
  readonly type: string;
  readonly data: object;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The command whose identity it has, by its sequence: it is that one, sent again. */
  readonly repeats?: number;
}

/** What the driver sends, and how it knows that an answer is right. */
export interface Workload {
  /** @param sequence counts from 0; commands of different numbers have different answers */
  command(sequence: number): BenchCommand;
  isRight(sequence: number, answer: unknown): boolean;
}
