import { STATUS_CODES } from 'node:http';
import { errorDocument } from '../json-api/platform-error.ts';
import { JSON_API, type Answer } from '../json-api/send-answer.ts';
import type { PlannedFaults } from './fault-rules.ts';

/** The answer of a fault that replaces the platform; nothing is processed. */
export function answerInstead(fault: PlannedFaults['fault']): Answer | undefined {
  switch (fault?.kind) {
    case 'status': {
      const { status, retryAfter } = fault;
      const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      return { status, contentType: JSON_API, body: JSON.stringify(errorDocument(status)), headers };
    }
    case 'html':
      return { status: fault.status, contentType: 'text/html', body: page(fault.status) };
    case 'redirect': {
      const { status, location } = fault;
      return { status, contentType: 'text/html', body: page(status), headers: { location } };
    }
    default:
      return undefined;
  }
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body><center><h1>${title}</h1></center></body>\r\n</html>\r\n`;
}
