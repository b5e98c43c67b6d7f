import {
  anyValue,
  boolean,
  integer,
  type Member,
  number,
  oneOf,
  optional,
  type Shape,
  textOf,
  type ValuesOf,
} from '../interface/members.ts';
import { type Operation, OPERATIONS } from '../interface/documents.ts';

const MAX_MS = 600_000;
/** One line of characters that are allowed in a header. */
const HEADER = /^[\x20-\x7e]+$/;

const NONE = {};
/** Describes a kind of fault by the effect that the form shows, and by its members. */
const kindFor =
  (operations: readonly Operation[]) =>
  <M extends Shape = typeof NONE>(label: string, members = NONE as M) => ({ label, operations, members });
const ofAll = kindFor(OPERATIONS);
const ofSessions = kindFor(['session']);
const ofReports = kindFor(['ad-hoc-report', 'rake']);
/** Sets the initial value of a member's field in the form. */
const shown = <T>(member: Member<T>, value: T) => ({ ...member, shown: value });

/** Every kind of fault that can be injected. docs/sandbox.md describes each. */
export const FAULTS = {
  status: ofAll('answers with an error', {
    status: shown(integer(400, 599), 503),
    retryAfter: shown(optional(textOf(1, 100, HEADER)), ''),
    pointer: optional(textOf(1, 200)),
    empty: optional(boolean),
  }),
  latency: ofAll('answers late', {
    fixedMs: shown(integer(0, MAX_MS), 3_000),
    spreadMs: optional(integer(0, MAX_MS), 0),
  }),
  'reset-before': ofAll('resets the connection, nothing is done'),
  'reset-after': ofAll('resets the connection once it is done'),
  html: ofAll('a proxy answers with a page', { status: optional(integer(200, 599), 502) }),
  redirect: ofAll('redirects', {
    location: shown(textOf(1, 2_000, HEADER), 'https://elsewhere.example/'),
    status: optional(oneOf<number>([301, 302, 303, 307, 308]), 302),
  }),
  truncated: ofAll('cuts the answer off', { bodyShare: optional(number(0, 0.999), 0.5) }),
  drip: ofAll('answers drop by drop', {
    bytes: optional(integer(1), 16),
    intervalMs: optional(integer(1, MAX_MS), 100),
  }),
  'wrong-document': ofAll('answers with another document', {
    document: optional(anyValue, { data: { type: 'something-else', id: '1', attributes: {} } }),
  }),
  'empty-body': ofAll('answers without a body'),
  gzip: ofAll('compresses without being asked'),
  'other-user-id': ofSessions('sessions: names the user otherwise', {
    as: optional(oneOf(['own', 'integer', 'case']), 'own'),
  }),
  'clamped-per-page': ofReports('reports: gives smaller pages', { perPage: shown(integer(1), 20) }),
  'repeated-page': ofReports('reports: repeats a page'),
  'other-page': ofReports('reports: gives the page before'),
  'endless-report': ofReports('reports: never ends'),
  'changing-total': ofReports('reports: changes the total', {
    by: optional(integer(-1_000_000, 1_000_000), 1),
  }),
  'changing-figures': ofReports('reports: changes the amounts with time', {
    everyMs: optional(integer(1), 600_000),
  }),
  'huge-amounts': ofReports('reports: amounts beyond 2^53'),
  'odd-amounts': ofReports('reports: amounts that are no integers'),
  'odd-records': ofReports('reports: absent amounts, odd users and currencies', {
    what: optional(oneOf(['amount', 'user-id', 'currency'])),
  }),
};

export type FaultKind = keyof typeof FAULTS;

/** A fault, with the value of each of its members. */
export type Fault = {
  [K in FaultKind]: { readonly kind: K } & ValuesOf<(typeof FAULTS)[K]['members']>;
}[FaultKind];

/** A fault other than a latency. It can be combined with a latency. */
export type OtherFault = Exclude<Fault, { kind: 'latency' }>;
