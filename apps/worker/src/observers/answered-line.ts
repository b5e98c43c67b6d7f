import type { ErrorCode } from '#contracts';
import type { CommandFacts } from '#messaging';
import { isPlainText, lineWriter, type Logger } from '#telemetry';

/**
 * The log line of every answered command, at a lower cost than the others: its facts usually need no escaping. The
 * logger would do; with the buffered lines it saves 8 µs a command (decision 0008).
 */
export class AnsweredLine {
  readonly #logger: Logger;
  readonly #writeMembers: ((members: string) => void) | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#writeMembers = lineWriter(logger, 'info', 'command answered');
  }

  /** Writes the facts of the command and its outcome. */
  write(command: CommandFacts, outcome: 'success' | ErrorCode): void {
    const { id, correlationId, type, operator, lane, attempts, durationMs } = command;
    const isPlain =
      isPlainText(id) && isPlainText(correlationId) && isPlainText(type) && isPlainText(operator);
    if (this.#writeMembers === undefined || !isPlain) {
      this.#logger.info({ ...command, outcome }, 'command answered');
      return;
    }
    this.#writeMembers(
      `"id":"${id}","correlationId":"${correlationId}","type":"${type}","operator":"${operator}",` +
        `"lane":"${lane}","attempts":${attempts},"durationMs":${durationMs},"outcome":"${outcome}"`,
    );
  }
}
