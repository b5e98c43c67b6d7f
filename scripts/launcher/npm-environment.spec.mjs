import { describe, expect, it } from '@jest/globals';
import { npmEnvironment } from './npm-environment.mjs';

describe('npmEnvironment', () => {
  it.each([
    'NODE_ENV',
    'npm_config_ignore_scripts',
    'NPM_CONFIG_OMIT',
    'npm_config_engine-strict',
    'npm_config_global',
  ])('removes %s, which changes what is installed', (name) => {
    expect(npmEnvironment({ [name]: 'true' })).toEqual({});
  });

  it.each([
    'PATH',
    'npm_config_registry',
    'npm_config_cache',
    'NPM_CONFIG_USERCONFIG',
    'npm_config_https_proxy',
    'npm_package_name',
  ])('keeps %s', (name) => {
    expect(npmEnvironment({ [name]: 'x' })).toEqual({ [name]: 'x' });
  });
});
