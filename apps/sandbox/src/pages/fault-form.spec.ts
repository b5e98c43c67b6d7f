import { expect, it } from '@jest/globals';
import { readFaultRule } from '../control/faults.controller.ts';
import { FAULTS, membersOf, type FaultKind } from '../faults/faults.ts';

it.each(Object.keys(FAULTS) as FaultKind[])(
  'the form switches %s on with the values that it shows',
  (kind) => {
    const shown = membersOf(kind).filter(([, member]) => member.shown);
    const given = shown.map(([name, member]) => [name, member.shown]);
    expect(readFaultRule({ kind, ...Object.fromEntries(given) }).fault.kind).toBe(kind);
  },
);
