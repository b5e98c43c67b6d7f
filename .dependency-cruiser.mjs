const tests = '\\.(spec|fixture)\\.m?ts$';
const plainContracts = '^libs/contracts/src/(?!validation)[^/]+\\.ts$';
const usesOpenTelemetry = '^apps/worker/src/traces/';

/** The libs that a lib of the ground floor or the middle floor imports beside itself. */
const below = {
  contracts: [],
  signing: [],
  resilience: [],
  telemetry: [],
  tls: [],
  messaging: ['contracts', 'rabbitmq', 'resilience', 'signing', 'tls'],
  platform: ['contracts', 'resilience', 'signing', 'tls'],
};

/** The rules of the house, each named by its sentence. @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule('Nothing depends on itself, not by way of others either', {}, { circular: true }),
    {
      ...rule(
        'No folder of an app or a lib depends on itself: it can be read after those that it uses',
        { path: '^(apps|libs)/[^/]+/src/.+' },
        { circular: true },
      ),
      scope: 'folder',
    },
    rule(
      'What is built does not depend on what builds and tests it',
      { path: '^(apps|libs)/' },
      { path: '^(scripts|test)/' },
    ),
    rule(
      'No product file imports the laboratory; the tests do',
      { path: '^(apps|libs|scripts|examples)/' },
      { path: '^lab/' },
    ),
    rule(
      'Arrows run downward only: no lib imports an app, and no app another app',
      { path: '^(?:apps/([^/]+)|libs)/' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    rule(
      'A lib is entered through its index; messaging by a caller also through that for operators, caller by a Nest ' +
        'service also through that of nest, rabbitmq by messaging also through that of collections, contracts by ' +
        'those who validate also through validation',
      { path: '^(apps|libs|scripts)/([^/]+)/' },
      {
        path: '^libs/([^/]+)/src/',
        pathNot: [
          '^libs/[^/]+/src/((collections|nest|operator)/)?index\\.ts$',
          '^libs/contracts/src/validation\\.ts$',
          '^libs/rabbitmq/.+\\.fixture\\.ts$',
          '^$1/$2/',
        ],
      },
    ),
    rule(
      'The laboratory runs outside of Jest, where its globals cannot be imported',
      { path: '^lab/', pathNot: tests },
      { path: '^node_modules/@jest/globals/', reachable: true },
    ),
    ...Object.entries(below).map(([lib, others]) =>
      rule(
        `${lib} imports ${others.join(', ') || 'no other lib'}`,
        { path: `^libs/${lib}/` },
        { path: '^libs/', pathNot: `^libs/(${[lib, ...others].join('|')})/` },
      ),
    ),
    rule(
      'caller is installed by other services: it imports contracts, rabbitmq and, in its nest folder, Nest; the types of ' +
        'OpenTelemetry, which it uses where a service has it',
      { path: '^libs/caller/', pathNot: tests },
      {
        pathNot: ['^libs/(caller|contracts|rabbitmq)/', '^node_modules/(@nestjs|@opentelemetry/api)/'],
        dependencyTypesNot: ['core'],
      },
    ),
    rule(
      'A service without Nest installs caller without it',
      { path: '^libs/caller/', pathNot: ['^libs/caller/src/nest/', tests] },
      { path: ['^node_modules/@nestjs/', '^libs/caller/src/nest/'] },
    ),
    rule(
      'caller is for callers: the command line, the demo, tests, documents and examples',
      { path: '^(apps|libs|scripts)/', pathNot: '^(libs/caller/|apps/cli/|scripts/demo\\.ts)' },
      { path: '^libs/caller/' },
    ),
    rule(
      'Only rabbitmq imports amqplib; messaging and tests its types. Of the tests, those connections use it by which ' +
        'strangers speak to the service, and the services that it is compared with',
      {
        path: '^(apps|lab|libs|scripts|test)/',
        pathNot: ['^libs/rabbitmq/', '^test/support/(broker|bus-caller)\\.ts$', '^lab/bench/peers/'],
      },
      { path: '^node_modules/amqplib/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'rabbitmq would serve any service on RabbitMQ: it imports itself, amqplib and Node.js (its specs also Jest, ' +
        'fast-check and rhea)',
      { path: '^libs/rabbitmq/' },
      {
        pathNot: [
          '^libs/rabbitmq/',
          '^node_modules/(@types/)?amqplib/',
          '^node_modules/(@jest/globals|fast-check|rhea)/',
        ],
        dependencyTypesNot: ['core'],
      },
    ),
    rule(
      'Only platform opens an HTTP connection; the sandbox serves them',
      { path: '^(apps|libs)/', pathNot: ['^libs/platform/', '^apps/sandbox/', tests] },
      {
        path: ['^node_modules/(undici|axios|got|node-fetch)/', '^(node:)?https?$', '^(node:)?http2$'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'Only resilience imports opossum',
      { path: '^(apps|libs|scripts)/', pathNot: '^libs/resilience/' },
      { path: '^node_modules/(@types/)?opossum/' },
    ),
    rule(
      'OpenTelemetry is loaded by the files that a worker imports once traces are configured',
      { path: '^(apps|libs)/', pathNot: [usesOpenTelemetry, tests] },
      { path: '^node_modules/@opentelemetry/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'What loads OpenTelemetry is imported dynamically',
      { pathNot: [usesOpenTelemetry, tests] },
      { path: usesOpenTelemetry, dependencyTypesNot: ['dynamic-import', 'type-only'] },
    ),
    rule(
      'ioredis is imported dynamically: a worker without Redis does not load it',
      { path: '^(apps/worker|libs)/', pathNot: ['^libs/messaging/src/operator/', tests] },
      { path: '^node_modules/ioredis/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    ),
    rule(
      'contracts depends on nothing but class-validator, and that only for its entry validation',
      { path: '^libs/contracts/', pathNot: tests },
      { pathNot: ['^libs/contracts/', '^node_modules/class-validator/'] },
    ),
    rule(
      'The files of the plain entry, those beside its index, run without any package: they import each other, and of the ' +
        'classes, which need class-validator, only types',
      { path: plainContracts, pathNot: tests },
      { pathNot: plainContracts, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'signing depends on node:crypto alone',
      { path: '^libs/signing/', pathNot: tests },
      { pathNot: ['^libs/signing/', '^(node:)?crypto$'] },
    ),
    rule(
      'Platform and resilience import no Nest; of messaging, its module and the transport do',
      { path: '^libs/(messaging|platform|resilience)/', pathNot: ['(\\.module|transport)\\.ts$', tests] },
      { path: '^node_modules/@nestjs/' },
    ),
    rule(
      "The sandbox verifies signatures with code of its own, and shares none with the platform's caller; its guard asks " +
        'signing alone for the explanation of a wrong one',
      { path: '^apps/sandbox/', pathNot: '^apps/sandbox/src/traffic/signature\\.guard\\.ts$' },
      { path: '^libs/(signing|platform)/' },
    ),
    rule(
      'A handler and resilience know no AMQP and no HTTP',
      { path: '^(apps/worker/src/commands|libs/resilience)/', pathNot: tests },
      { path: ['^node_modules/(amqplib|undici)/', '^(node:)?(https?|http2|net|tls)$'] },
    ),
    rule(
      'What runs in production does not depend on a development dependency',
      { path: '^(apps|libs)/', pathNot: tests },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    rule('Every import leads somewhere', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|libs/[^/]+/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['@poker-bridge/source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};

function rule(name, from, to) {
  return { name, severity: 'error', from, to };
}
