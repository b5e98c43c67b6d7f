import type { Operation } from '../operations/operation.ts';

/** The faults that can be injected, by `kind`. docs/sandbox.md describes each. */
export type Fault = LatencyFault | ConnectionFault | AnswerFault | DeliveryFault | ReportFault;

export type FaultKind = Fault['kind'];

/** The answer is delayed by `fixedMs` and a random part of `spreadMs`. Can be combined with one other fault. */
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

/** The request is processed, and its answer is distorted. */
export type DeliveryFault =
  /** The connection is reset instead of an answer. */
  | { readonly kind: 'reset-after' }
  /** The connection ends after this share of the body, from 0 to 1, although the header promised all of it. */
  | { readonly kind: 'truncated'; readonly share: number }
  /** The body comes in pieces of `bytes`, with `intervalMs` between them. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly intervalMs: number }
  /** Another document than the interface promises. */
  | { readonly kind: 'wrong-document'; readonly document: unknown }
  | { readonly kind: 'empty-body' }
  /** The body is compressed, whether the request accepts that or not. */
  | { readonly kind: 'gzip' };

/** A report is answered differently than requested; other operations are not affected. */
export type ReportFault =
  /** Pages are not larger than this, whatever `per-page` asks for. */
  | { readonly kind: 'clamped-per-page'; readonly perPage: number }
  /** A page holds the records of the page before it. */
  | { readonly kind: 'repeated-page' }
  /** The page before the requested one is served, and says so. */
  | { readonly kind: 'other-page' }
  /** Every page holds the records of the first one, and is followed by another. */
  | { readonly kind: 'endless-report' }
  /** The total of each page is `by` more than that of the page before it. */
  | { readonly kind: 'changing-total'; readonly by: number }
  /** Every amount exceeds 2^53. */
  | { readonly kind: 'huge-amounts' }
  /** An amount of every record is no integer. */
  | { readonly kind: 'odd-amounts' };

const REPORT_FAULTS: readonly FaultKind[] = [
  'clamped-per-page',
  'repeated-page',
  'other-page',
  'endless-report',
  'changing-total',
  'huge-amounts',
  'odd-amounts',
];

/** Whether a fault applies to this operation. */
export function isPlayable(fault: Fault, operation: Operation): boolean {
  return !REPORT_FAULTS.includes(fault.kind) || operation === 'ad-hoc-report' || operation === 'rake';
}
