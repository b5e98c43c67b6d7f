import { describe, expect, it } from '@jest/globals';

import { proxyUrl } from './proxy-url.ts';

describe('proxyUrl', () => {
  it.each([
    ['http://proxy.example.com:3128', 'http://proxy.example.com:3128/'],
    ['https://user:p%40ss@proxy.example.com/', 'https://user:p%40ss@proxy.example.com/'],
    ['http://[::1]:3128', 'http://[::1]:3128/'],
  ])('accepts %s', (url, expected) => {
    expect(proxyUrl(url)).toBe(expected);
  });

  it.each([
    ['proxy.example.com:3128', 'must be an http or https URL'],
    ['socks5://proxy.example.com', 'must be an http or https URL'],
    ['http://proxy.example.com/path', 'must have neither a path nor a query'],
    ['http://proxy.example.com?', 'must have neither a path nor a query'],
    ['http://user:100%zz@proxy.example.com', 'must have its user name and password percent-encoded'],
  ])('refuses %s: %s', (url, reason) => {
    expect(() => proxyUrl(url)).toThrow(reason);
  });
});
