import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline } from '#resilience';

import { ReportPlaces } from './report-share.ts';

const SICK = 'sick';
const WELL = 'well';
let places: ReportPlaces;
const late = (): Deadline => new Deadline(Date.now() + 3_600_000);
const enter = (compartment: string, deadline = late()) => places.enter(compartment, deadline);

beforeEach(() => {
  jest.useFakeTimers();
  places = new ReportPlaces(8, 5_000, Date.now);
});

describe('ReportPlaces', () => {
  it('gives one compartment half of the places, and another one half of the rest', () => {
    const sick = Array.from({ length: 5 }, () => enter(SICK));
    expect(sick.map((turn) => typeof turn)).toEqual(['string', 'string', 'string', 'string', 'object']);
    const well = Array.from({ length: 3 }, () => enter(WELL));
    expect(well.map((turn) => typeof turn)).toEqual(['string', 'string', 'object']);
  });

  it('keeps a report beyond the share waiting while its compartment makes progress', async () => {
    for (let n = 0; n < 4; n += 1) void enter(SICK);
    const waiting = enter(SICK);
    for (let ms = 0; ms < 10_000; ms += 1_000) {
      jest.advanceTimersByTime(1_000);
      places.moved(SICK);
    }
    places.leave(SICK);
    expect([await waiting, jest.getTimerCount()]).toEqual(['entered', 0]);
  });

  it('rejects reports that wait for long-running ones, so that those behind them are delivered', async () => {
    for (let n = 0; n < 4; n += 1) void enter(SICK);
    const waiting = Array.from({ length: 4 }, () => enter(SICK));
    for (let ms = 0; ms < 3_000; ms += 500) {
      jest.advanceTimersByTime(500);
      places.moved(SICK);
    }
    // One report keeps waiting for the next free place.
    for (const turn of waiting.slice(0, 3)) expect(await turn).toBe('stuck');
    expect(enter(SICK)).toBe('stuck');
    places.leave(SICK);
    expect(await waiting[3]).toBe('entered');
    expect(enter(WELL)).toBe('entered');
  });

  it('rejects a report at once if it would take the last place in the lane to wait for long-running ones', () => {
    for (const [compartment, count] of Object.entries({ [SICK]: 4, long: 2, [WELL]: 1 }))
      for (let n = 0; n < count; n += 1) expect(enter(compartment)).toBe('entered');
    jest.advanceTimersByTime(3_000);
    places.moved('long');
    expect(enter('long')).toBe('stuck');
  });

  it('rejects reports beyond the share within three seconds without progress, and further ones at once', async () => {
    for (let n = 0; n < 4; n += 1) void enter(SICK);
    const waiting = enter(SICK);
    jest.advanceTimersByTime(3_000);
    expect(await waiting).toBe('stuck');
    expect(enter(SICK)).toBe('stuck');
    expect(enter(WELL)).toBe('entered');
  });

  it('rejects reports as well if the holders only give up their places, one after the other', async () => {
    for (let n = 0; n < 4; n += 1) void enter(SICK);
    const waiting = Array.from({ length: 4 }, async () => enter(SICK));
    jest.advanceTimersByTime(1_900);
    places.leave(SICK, false);
    jest.advanceTimersByTime(1_100);
    expect(await Promise.all(waiting)).toEqual(['entered', 'stuck', 'stuck', 'stuck']);
  });

  it('keeps a report until its deadline if that is too near for a retry queue', async () => {
    for (let n = 0; n < 4; n += 1) void enter(SICK);
    jest.advanceTimersByTime(3_000);
    const waiting = enter(SICK, new Deadline(Date.now() + 1_000));
    jest.advanceTimersByTime(1_001);
    expect(await waiting).toBe('expired');
    places.leave(SICK);
    expect(enter(SICK)).toBe('entered');
  });
});
