import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));
swc.jsc.rewriteRelativeImportExtensions = false;

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/plain-environment.mjs',
  // Package imports (`#contracts`) are met in their TypeScript source.
  testEnvironmentOptions: { customExportConditions: ['@poker-bridge/source', 'node', 'node-addons'] },
  // Half of the time of all suites is waiting, which costs no processor. Never in the process that
  // holds the broker of the run; a suite that leaves something open harms its worker alone.
  maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)),
  // A process that ran many suites takes longer to end than the default of half a second; one that hangs is
  // still named.
  workerGracefulExitTimeout: 10_000,
  // A net: waits for a cause have a shorter timeout of their own (test/support/until.ts), and say what for.
  testTimeout: 180_000,
  injectGlobals: false,
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  testMatch: ['<rootDir>/{apps,lab,libs,scripts,test}/**/*.spec.{ts,mjs}'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/libs/[^/]+/dist'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  coverageProvider: 'v8',
  collectCoverageFrom: ['{apps,libs}/*/src/**/*.ts', '!**/*.spec.ts'],
  reporters: [['default', { summaryThreshold: 0 }], '<rootDir>/test/support/summary-reporter.mjs'],
};
