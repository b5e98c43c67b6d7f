export default async function globalTeardown() {
  await globalThis.__TEST_BROKER__?.[Symbol.asyncDispose]();
}
