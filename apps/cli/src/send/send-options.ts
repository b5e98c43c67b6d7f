/** The options of `send TYPE`. */
export interface SendOptions {
  readonly data: string;
  readonly operator?: string;
  readonly id?: string;
  readonly deadlineMs?: number;
  readonly json?: true;
}
