import type { Step } from '../step.ts';

/** Refuses what could not be decoded. @throws CommandError `MALFORMED_MESSAGE`, `MESSAGE_TOO_LARGE`, `UNSUPPORTED_VERSION` */
export const decode: Step = (command, next) => {
  if (command.envelope.fault) throw command.envelope.fault;
  return next(command);
};
