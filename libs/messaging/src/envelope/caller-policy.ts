/** The caller of a command without a broker user. */
export const ANONYMOUS = 'anonymous';

/** Who may send what. A caller is a broker user, as the broker has checked it. Source: bus contract, section 5a. */
export abstract class CallerPolicy {
  /** Whether a caller may run a command with the credentials of an operator. */
  abstract mayRun(caller: string, operator: string, type: string): boolean;
  /** Whether a caller may have its replies sent there; a direct reply-to key goes by the name `amq.rabbitmq.reply-to`. */
  abstract mayReplyTo(caller: string, queue: string): boolean;
}
