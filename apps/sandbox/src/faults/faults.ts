import { anyValue, boolean, integer, number, oneOf, type Rule, textOf } from '../interface/members.ts';
import type { Operation } from '../interface/documents.ts';

const MAX_MS = 600_000;
/** One line of characters that a header may hold. */
const HEADER = /^[\x20-\x7e]+$/;
const REPORTS: readonly Operation[] = ['ad-hoc-report', 'rake'];

export interface Member<T> {
  readonly rule: Rule;
  readonly isRequired: boolean;
  /** The value of an absent member. */
  readonly fallback?: T | undefined;
  /** What its field in the form holds at first; absent: the form has none. */
  readonly shown?: string | number;
}

const required = <T extends string | number>(rule: Rule, shown: T): Member<T> => ({
  rule,
  isRequired: true,
  shown,
});
const optional = <T>(rule: Rule, fallback: T): Member<T> => ({
  rule,
  isRequired: false,
  fallback,
  ...((typeof fallback === 'string' || typeof fallback === 'number') && { shown: fallback }),
});
const free = <T>(rule: Rule): Member<T | undefined> => ({ rule, isRequired: false });

interface Kind {
  /** What the platform does, in the form. */
  readonly label: string;
  /** The operations that the fault can be for; absent: all. */
  readonly operations?: readonly Operation[];
  readonly members?: Readonly<Record<string, Member<unknown>>>;
}

const ofReports = <M = object>(label: string, members?: M) => ({
  label: `reports: ${label}`,
  operations: REPORTS,
  members: members as M,
});

/** Every kind of fault that can be injected. docs/sandbox.md describes each. */
export const FAULTS = {
  status: {
    label: 'answers with an error',
    members: {
      status: required<number>(integer(400, 599), 503),
      retryAfter: { ...free<string>(textOf(1, 100, HEADER)), shown: '' },
      pointer: free<string>(textOf(1, 200)),
      empty: free<boolean>(boolean),
    },
  },
  latency: {
    label: 'answers late',
    members: {
      fixedMs: required<number>(integer(0, MAX_MS), 3_000),
      spreadMs: optional<number>(integer(0, MAX_MS), 0),
    },
  },
  'reset-before': { label: 'resets the connection, nothing is done' },
  'reset-after': { label: 'resets the connection once it is done' },
  html: {
    label: 'a proxy answers with a page',
    members: { status: optional<number>(integer(200, 599), 502) },
  },
  redirect: {
    label: 'redirects',
    members: {
      location: required<string>(textOf(1, 2_000, HEADER), 'https://elsewhere.example/'),
      status: optional<number>(oneOf([301, 302, 303, 307, 308]), 302),
    },
  },
  truncated: {
    label: 'cuts the answer off',
    members: { bodyShare: optional<number>(number(0, 0.999), 0.5) },
  },
  drip: {
    label: 'answers drop by drop',
    members: {
      bytes: optional<number>(integer(1), 16),
      intervalMs: optional<number>(integer(1, MAX_MS), 100),
    },
  },
  'wrong-document': {
    label: 'answers with another document',
    members: {
      document: optional<unknown>(anyValue, { data: { type: 'something-else', id: '1', attributes: {} } }),
    },
  },
  'empty-body': { label: 'answers without a body' },
  gzip: { label: 'compresses without being asked' },
  'other-user-id': {
    label: 'sessions: names the user otherwise',
    operations: ['session'],
    members: { as: optional<'own' | 'integer' | 'case'>(oneOf(['own', 'integer', 'case']), 'own') },
  },
  'clamped-per-page': ofReports('gives smaller pages', { perPage: required<number>(integer(1), 20) }),
  'repeated-page': ofReports('repeats a page'),
  'other-page': ofReports('gives the page before'),
  'endless-report': ofReports('never ends'),
  'changing-total': ofReports('changes the total', {
    by: optional<number>(integer(-1_000_000, 1_000_000), 1),
  }),
  'changing-figures': ofReports('changes the amounts with time', {
    everyMs: optional<number>(integer(1), 600_000),
  }),
  'huge-amounts': ofReports('amounts beyond 2^53'),
  'odd-amounts': ofReports('amounts that are no integers'),
  'odd-records': ofReports('absent amounts, odd users and currencies', {
    what: free<'amount' | 'user-id' | 'currency'>(oneOf(['amount', 'user-id', 'currency'])),
  }),
} satisfies Record<string, Kind>;

export type FaultKind = keyof typeof FAULTS;

type MembersOf<K extends FaultKind> = (typeof FAULTS)[K] extends { members: infer M } ? M : object;

/** A fault, with the value of each of its members. */
export type Fault = {
  [K in FaultKind]: { readonly kind: K } & {
    readonly [M in keyof MembersOf<K>]: MembersOf<K>[M] extends Member<infer T> ? T : never;
  };
}[FaultKind];

/** A fault other than a latency, with which it can be combined. */
export type OtherFault = Exclude<Fault, { kind: 'latency' }>;

export function membersOf(kind: FaultKind): [name: string, member: Member<unknown>][] {
  return Object.entries((FAULTS[kind] as Kind).members ?? {});
}

/** A fault of a body whose members have been checked. */
export function faultOf(kind: FaultKind, body: Readonly<Record<string, unknown>>): Fault {
  const members = membersOf(kind).map(([name, { fallback }]) => [
    name,
    Object.hasOwn(body, name) ? body[name] : fallback,
  ]);
  return { kind, ...Object.fromEntries(members.filter(([, value]) => value !== undefined)) } as Fault;
}

export function isFaultKind(kind: unknown): kind is FaultKind {
  return typeof kind === 'string' && Object.hasOwn(FAULTS, kind);
}

/** Whether a fault applies to this operation. */
export function isPlayable(kind: FaultKind, operation: Operation): boolean {
  const { operations } = FAULTS[kind] as Kind;
  return !operations || operations.includes(operation);
}
