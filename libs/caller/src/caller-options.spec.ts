import { describe, expect, it } from '@jest/globals';

import { readOptions } from './caller-options.ts';

const URL_OF_SHOP = 'amqps://sh%2Fop:secret@broker-1.example/vhost';

describe('readOptions', () => {
  it('reads one URL or more', () => {
    const second = 'amqps://shop:secret@broker-2.example/vhost';
    for (const url of [`${URL_OF_SHOP}, ${second}`, [URL_OF_SHOP, second]]) {
      expect(readOptions({ url, name: 'shop' }).urls).toEqual([URL_OF_SHOP, second]);
    }
  });

  it('names the broker user when asked', () => {
    expect(readOptions({ url: URL_OF_SHOP, name: 'shop' }).sender.userId).toBeUndefined();
    expect(readOptions({ url: URL_OF_SHOP, name: 'shop', sendUserId: true }).sender.userId).toBe('sh/op');
  });

  it.each([
    [{ url: '', name: 'shop' }, /url must be a URL/],
    [{ url: 'http://broker', name: 'shop' }, /url must be a URL/],
    [{ url: 'amqp://shop:secret@host:port', name: 'shop', sendUserId: true }, /url must be a URL/],
    [{ url: URL_OF_SHOP, name: '' }, /must not be empty/],
    [{ url: URL_OF_SHOP, name: 'poker' }, /name must not be poker/],
    [{ url: URL_OF_SHOP, name: 'house', prefix: 'house' }, /name must not be house/],
  ])('refuses %j, without its password', (options, expected) => {
    const read = () => readOptions(options);
    expect(read).toThrow(expected);
    expect(read).not.toThrow(/secret/);
  });
});
