const tests = '\\.(spec|fixture)\\.m?ts$';
const plainContracts = '^libs/contracts/src/(?!validation)[^/]+\\.ts$';
const usesOpenTelemetry = '^apps/worker/src/traces/';

/** The rules of the house; the comment of each is its sentence. @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Nothing depends on itself, not by way of others either.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'No folder of an app or a lib depends on itself: it can be read after those that it uses.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(apps|libs)/[^/]+/src/.+' },
      to: { circular: true },
    },
    {
      name: 'built-code-knows-no-script',
      comment: 'What is built does not depend on what builds and tests it.',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { path: '^(scripts|test)/' },
    },
    {
      name: 'apps-stand-apart',
      comment: 'Arrows run downward only: no lib imports an app, and no app another app.',
      severity: 'error',
      from: { path: '^(?:apps/([^/]+)|libs)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libs-through-their-index',
      comment:
        'A lib is entered through its index; messaging by a caller also through that of its client, caller by a Nest ' +
        'service also through that of nest, contracts by those who validate also through validation.',
      severity: 'error',
      from: { path: '^(apps|libs|scripts)/([^/]+)/' },
      to: {
        path: '^libs/([^/]+)/src/',
        pathNot: [
          '^libs/[^/]+/src/((client|nest)/)?index\\.ts$',
          '^libs/contracts/src/validation\\.ts$',
          '^libs/rabbitmq/.+\\.fixture\\.ts$',
          '^$1/$2/',
        ],
      },
    },
    {
      name: 'programs-know-no-jest',
      comment: 'What bench and kill test start runs outside of Jest, where its globals cannot be imported.',
      severity: 'error',
      from: { path: '^test/(bench|chaos)/', pathNot: tests },
      to: { path: '^node_modules/@jest/globals/', reachable: true },
    },
    {
      name: 'ground-floor-imports-no-lib',
      comment: 'contracts, rabbitmq, signing, resilience, telemetry and tls import no other lib.',
      severity: 'error',
      from: { path: '^libs/(contracts|rabbitmq|signing|resilience|telemetry|tls)/' },
      to: { path: '^libs/', pathNot: '^libs/$1/' },
    },
    {
      name: 'middle-floor-stands-on-the-ground-floor',
      comment: 'messaging and platform import libs of the ground floor, and not each other.',
      severity: 'error',
      from: { path: '^libs/(messaging|platform)/' },
      to: { path: '^libs/', pathNot: '^libs/($1|contracts|rabbitmq|resilience|signing|tls)/' },
    },
    {
      name: 'platform-knows-no-rabbitmq',
      comment: 'platform calls over HTTP, whatever the commands came over.',
      severity: 'error',
      from: { path: '^libs/platform/' },
      to: { path: '^libs/rabbitmq/' },
    },
    {
      name: 'caller-imports-contracts-and-rabbitmq',
      comment:
        'caller is installed by other services: it imports contracts, rabbitmq and, in its nest folder, Nest; the types of ' +
        'OpenTelemetry, which it uses where a service has it.',
      severity: 'error',
      from: { path: '^libs/caller/', pathNot: tests },
      to: {
        pathNot: ['^libs/(caller|contracts|rabbitmq)/', '^node_modules/(@nestjs|@opentelemetry/api)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'caller-knows-nest-in-one-folder',
      comment: 'A service without Nest installs caller without it.',
      severity: 'error',
      from: { path: '^libs/caller/', pathNot: ['^libs/caller/src/nest/', tests] },
      to: { path: ['^node_modules/@nestjs/', '^libs/caller/src/nest/'] },
    },
    {
      name: 'the-service-does-not-call-itself',
      comment: 'caller is for callers: the command line, the demo, tests, documents and examples.',
      severity: 'error',
      from: { path: '^(apps|libs|scripts)/', pathNot: '^(libs/caller|apps/cli|scripts/demo)/' },
      to: { path: '^libs/caller/' },
    },
    {
      name: 'amqp-in-rabbitmq-alone',
      comment:
        'Only rabbitmq imports amqplib; messaging and tests its types. Of the tests, those connections use it by which ' +
        'strangers speak to the service, and the services that it is compared with.',
      severity: 'error',
      from: {
        path: '^(apps|libs|scripts|test)/',
        pathNot: ['^libs/rabbitmq/', '^test/support/(broker|bus-caller)\\.ts$', '^test/bench/peers/'],
      },
      to: { path: '^node_modules/amqplib/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rabbitmq-knows-no-poker',
      comment:
        'rabbitmq would serve any service on RabbitMQ: it imports itself, amqplib and Node.js (its specs also Jest, ' +
        'fast-check and rhea).',
      severity: 'error',
      from: { path: '^libs/rabbitmq/' },
      to: {
        pathNot: [
          '^libs/rabbitmq/',
          '^node_modules/(@types/)?amqplib/',
          '^node_modules/(@jest/globals|fast-check|rhea)/',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'http-in-platform-alone',
      comment: 'Only platform opens an HTTP connection; the sandbox serves them.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/platform/', '^apps/sandbox/', tests] },
      to: {
        path: ['^node_modules/(undici|axios|got|node-fetch)/', '^(node:)?https?$', '^(node:)?http2$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'opossum-in-resilience-alone',
      comment: 'Only resilience imports opossum.',
      severity: 'error',
      from: { path: '^(apps|libs|scripts)/', pathNot: '^libs/resilience/' },
      to: { path: '^node_modules/(@types/)?opossum/' },
    },
    {
      name: 'opentelemetry-only-if-configured',
      comment: 'OpenTelemetry is loaded by the files that a worker imports once traces are configured.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: [usesOpenTelemetry, tests] },
      to: { path: '^node_modules/@opentelemetry/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'traces-are-imported-dynamically',
      comment: 'What loads OpenTelemetry is imported dynamically.',
      severity: 'error',
      from: { pathNot: [usesOpenTelemetry, tests] },
      to: { path: usesOpenTelemetry, dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'ioredis-only-if-configured',
      comment: 'ioredis is imported dynamically: a worker without Redis does not load it.',
      severity: 'error',
      from: { path: '^(apps/worker|libs)/', pathNot: ['^libs/messaging/src/client/', tests] },
      to: { path: '^node_modules/ioredis/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'contracts-stand-alone',
      comment: 'contracts depends on nothing but class-validator, and that only for its entry validation.',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: tests },
      to: { pathNot: ['^libs/contracts/', '^node_modules/class-validator/'] },
    },
    {
      name: 'types-and-codes-need-nothing',
      comment:
        'The files of the plain entry, those beside its index, run without any package: they import each other, and of the ' +
        'classes, which need class-validator, only types.',
      severity: 'error',
      from: { path: plainContracts, pathNot: tests },
      to: { pathNot: plainContracts, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'signing-is-pure',
      comment: 'signing depends on node:crypto alone.',
      severity: 'error',
      from: { path: '^libs/signing/', pathNot: tests },
      to: { pathNot: ['^libs/signing/', '^(node:)?crypto$'] },
    },
    {
      name: 'nest-at-the-edge',
      comment: 'Platform and resilience import no Nest; of messaging, its module and the transport do.',
      severity: 'error',
      from: {
        path: '^libs/(messaging|platform|resilience)/',
        pathNot: ['(\\.module|transport)\\.ts$', tests],
      },
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'the-sandbox-signs-by-itself',
      comment:
        "The sandbox verifies signatures with code of its own, and shares none with the platform's caller; its guard asks " +
        'signing alone for the explanation of a wrong one.',
      severity: 'error',
      from: { path: '^apps/sandbox/', pathNot: '^apps/sandbox/src/traffic/signature\\.guard\\.ts$' },
      to: { path: '^libs/(signing|platform)/' },
    },
    {
      name: 'handlers-and-resilience-know-no-transport',
      comment: 'A handler and resilience know no AMQP and no HTTP.',
      severity: 'error',
      from: { path: '^(apps/worker/src/commands|libs/resilience)/', pathNot: tests },
      to: { path: ['^node_modules/(amqplib|undici)/', '^(node:)?(https?|http2|net|tls)$'] },
    },
    {
      name: 'no-development-dependency-in-production',
      comment: 'What runs in production does not depend on a development dependency.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-unresolvable',
      comment: 'Every import leads somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
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
