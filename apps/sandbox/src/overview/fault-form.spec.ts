import { describe, expect, it } from '@jest/globals';
import { FAULT_BODIES } from '../control/fault-bodies.ts';
import { readFaultRule } from '../control/read-fault-rule.ts';
import { CHOICES } from './fault-form.ts';

describe('the form for faults', () => {
  it('has every kind', () => {
    expect(CHOICES.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(FAULT_BODIES).toSorted());
  });

  it.each(CHOICES)('switches $kind on with the values that it shows', ({ kind, fields = [] }) => {
    const given = fields.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]);
    expect(readFaultRule({ kind, ...Object.fromEntries(given) }).fault.kind).toBe(kind);
  });
});
