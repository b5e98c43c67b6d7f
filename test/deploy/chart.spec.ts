import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

import { LANES } from '#contracts';
import { SETTINGS } from '#settings';

import { read, tablesWith } from '../docs/markdown.ts';

const CHART = 'deploy/helm/poker-bridge';
const packageJson = JSON.parse(read('package.json')) as { version: string };
const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as {
  properties: {
    secrets: { properties: { files: { propertyNames: { pattern: string } } } };
    lanes: { properties: object };
  };
};
const names = Object.keys(SETTINGS);

/** test/extended/helm renders the chart. */
describe('the Helm chart', () => {
  it('has the version of the package', () => {
    const chart = parse(read(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string };
    expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
  });

  it('mounts every setting that names a file from a Secret', () => {
    const isFile = new RegExp(schema.properties.secrets.properties.files.propertyNames.pattern);
    expect(names.filter((name) => isFile.test(name))).toEqual(
      names.filter((name) => name.endsWith('_FILE') || name.includes('_TLS_')),
    );
  });

  it('explains each value in its README', () => {
    const values = Object.keys(parse(read(`${CHART}/values.yaml`)) as object);
    const rows = tablesWith(read(`${CHART}/README.md`), 'Value').flatMap(({ rows: own }) => own);
    const explained = rows.flatMap(([cell = '']) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name));
    expect([...new Set(explained)].toSorted()).toEqual(values.toSorted());
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(values));
  });

  it('contains the alerts that Compose mounts', () => {
    expect(read(`${CHART}/alerts.yml`)).toBe(read('deploy/prometheus/alerts.yml'));
  });

  it('has values for each lane, and for both together', () =>
    expect(Object.keys(schema.properties.lanes.properties)).toEqual([...LANES, 'both']));
});
