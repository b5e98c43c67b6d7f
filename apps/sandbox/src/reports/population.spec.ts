import { describe, expect, it } from '@jest/globals';
import { concatenated, Population, reversed, type Selection } from './population.ts';

const all = (selection: Selection) =>
  Array.from({ length: selection.count }, (_, position) => selection.at(position));
const names = (selection: Selection) => all(selection).map(({ userId, currency }) => `${userId} ${currency}`);

describe('population', () => {
  const population = new Population(11, ['USD', 'EUR', 'GBP']);

  it('gives every player two currencies, in order of id and code', () => {
    const listed = names(population.select());
    expect(listed.slice(0, 6)).toEqual([
      'player-00000001 EUR',
      'player-00000001 GBP',
      'player-00000002 GBP',
      'player-00000002 USD',
      'player-00000003 EUR',
      'player-00000003 USD',
    ]);
    expect(listed).toHaveLength(11);
    expect(listed).toEqual([...new Set(listed)].sort());
  });

  it.each(['EUR', 'GBP', 'USD'])('selects the accounts in %s, for every size', (currency) => {
    for (let size = 0; size < 30; size++) {
      const of = new Population(size, ['USD', 'EUR', 'GBP']);
      const expected = all(of.select()).filter((account) => account.currency === currency);
      expect(all(of.select(currency))).toEqual(expected);
    }
  });

  it('selects none in a currency without players', () => {
    expect(population.select('BRL').count).toBe(0);
  });

  it('selects the accounts of one player', () => {
    expect(names(population.forUser('player-00000002'))).toEqual([
      'player-00000002 GBP',
      'player-00000002 USD',
    ]);
    expect(names(population.forUser('player-00000002', 'USD'))).toEqual(['player-00000002 USD']);
    expect(names(population.forUser('player-00000006'))).toEqual(['player-00000006 EUR']);
    for (const stranger of ['player-00000007', 'player-00000000', 'player-2', 'ada'])
      expect(population.forUser(stranger).count).toBe(0);
  });

  it('gives one account each if there is only one currency', () => {
    const single = new Population(2, ['USD']);
    expect(names(single.select('USD'))).toEqual(['player-00000001 USD', 'player-00000002 USD']);
  });

  it('reaches any of ten million without storing them', () => {
    const large = new Population(10_000_000, ['USD', 'EUR', 'GBP']);
    expect(large.select().at(9_999_999).userId).toBe('player-05000000');
    const euros = large.select('EUR');
    expect(euros.at(euros.count - 1).index).toBeGreaterThan(9_999_990);
  });

  it('can be reversed, and combined by currency', () => {
    expect(names(reversed(population.select()))).toEqual(names(population.select()).reverse());
    const byCurrency = concatenated(['EUR', 'GBP', 'USD'].map((code) => population.select(code)));
    const codes = all(byCurrency).map(({ currency }) => currency);
    expect(codes).toEqual([...codes].sort());
    expect(names(byCurrency).sort()).toEqual(names(population.select()).sort());
  });
});
