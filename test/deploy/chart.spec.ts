import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { LANES } from '#contracts';
import { SETTINGS } from '#settings';

import { read } from '../docs/markdown.ts';

const CHART = 'deploy/helm/poker-bridge';
const packageJson = JSON.parse(read('package.json')) as { version: string };
const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as {
  properties: {
    secrets: {
      properties: {
        settings: { propertyNames: { enum: string[] } };
        files: { propertyNames: { pattern: string } };
      };
    };
    lanes: { properties: object };
  };
  definitions: { settings: { propertyNames: { enum: string[] } } };
};
/** The chart gives these itself. */
const ITS_OWN = ['HTTP_HOST', 'HTTP_PORT', 'LANES', 'SHUTDOWN_GRACE_MS'];
const names = Object.keys(SETTINGS);
const secrets = Object.entries(SETTINGS)
  .filter(([, setting]) => 'isSecret' in setting)
  .map(([name]) => name);

/** test/extended/helm renders it. */
describe('the Helm chart', () => {
  it('is of the version of the package', () => {
    const chart = parse(read(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string };
    expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
  });

  it('takes every setting: secrets and files by keys of the Secret, the others as texts', () => {
    const { settings, files } = schema.properties.secrets.properties;
    expect(settings.propertyNames.enum.toSorted()).toEqual(secrets.toSorted());
    const isFile = new RegExp(files.propertyNames.pattern);
    expect(names.filter((name) => isFile.test(name))).toEqual(
      names.filter((name) => name.endsWith('_FILE') || name.includes('_TLS_')),
    );
    const texts = names.filter((name) => ![...secrets, ...ITS_OWN].includes(name) && !isFile.test(name));
    expect(schema.definitions.settings.propertyNames.enum).toEqual(texts.toSorted());
  });

  it('contains the alerts that Compose mounts', () => {
    expect(read(`${CHART}/alerts.yml`)).toBe(read('deploy/prometheus/alerts.yml'));
  });

  it('has every lane', () => {
    expect(Object.keys(schema.properties.lanes.properties)).toEqual(LANES);
  });
});
