// TODO(lead): the demo. It builds on startBroker (scripts/broker), build and runBuilt (scripts/build).
console.error('poker-bridge: the demo is not written yet');
process.exitCode = 1;
