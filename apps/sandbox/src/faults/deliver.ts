import type { ServerResponse } from 'node:http';
import { sendAnswer, type Answer } from '../json-api/send-answer.ts';
import type { PlannedFaults } from './fault-rules.ts';

/** Sends an answer, or what a fault of delivery makes of it. */
export function deliver(response: ServerResponse, answer: Answer, _fault: PlannedFaults['fault']): void {
  sendAnswer(response, answer);
}
