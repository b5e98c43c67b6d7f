import type { Operation } from '../traffic/operation.ts';

/** What can be made to go wrong with a request, by `kind`. docs/sandbox.md describes each. */
export type Fault = LatencyFault | ConnectionFault | AnswerFault | DeliveryFault | ReportFault;

export type FaultKind = Fault['kind'];

/** The answer waits `fixedMs` and a random part of `spreadMs`. Combines with one other fault. */
export interface LatencyFault {
  readonly kind: 'latency';
  readonly fixedMs: number;
  readonly spreadMs: number;
}

/** The connection is reset before the body is read; nothing is processed. */
export interface ConnectionFault {
  readonly kind: 'reset-before';
}

/** Something else answers in the platform's place; nothing is processed. */
export type AnswerFault =
  /** An error document; `retryAfter` is the header's value, seconds or a date. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** A proxy's page. */
  | { readonly kind: 'html'; readonly status: number }
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string };

/** The request is processed, and its answer suffers. */
export type DeliveryFault =
  /** The connection is reset instead of an answer. */
  | { readonly kind: 'reset-after' }
  /** The connection ends after this share of the body, from 0 to 1, though the head promised all of it. */
  | { readonly kind: 'truncated'; readonly share: number }
  /** The body comes in pieces of `bytes`, with `intervalMs` between them. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly intervalMs: number }
  /** Another document than the interface promises. */
  | { readonly kind: 'wrong-document'; readonly document: unknown }
  | { readonly kind: 'empty-body' }
  /** The body is compressed, whether the request accepts that or not. */
  | { readonly kind: 'gzip' };

/** A report is answered otherwise than it was asked for; other operations are not touched. */
export type ReportFault =
  /** Pages are not larger than this, whatever `per-page` asks for. */
  | { readonly kind: 'clamped-per-page'; readonly perPage: number }
  /** A page holds the records of the page before it. */
  | { readonly kind: 'repeated-page' }
  /** Each page tells a total that is `by` more than that of the page before it. */
  | { readonly kind: 'changing-total'; readonly by: number }
  /** Every amount is beyond 2^53. */
  | { readonly kind: 'huge-amounts' };

const REPORT_FAULTS: readonly FaultKind[] = [
  'clamped-per-page',
  'repeated-page',
  'changing-total',
  'huge-amounts',
];

/** Whether a fault can be played to a request for this operation. */
export function isPlayable(fault: Fault, operation: Operation): boolean {
  return !REPORT_FAULTS.includes(fault.kind) || operation === 'ad-hoc-report' || operation === 'rake';
}
