/** A process that builds an image and is killed meanwhile by the test: its argument is a JSON build input. */
import { createTestBuilder } from './engine-fixture.ts';

const [stackId = '', address = '', input = '{}'] = process.argv.slice(2);
const builder = await createTestBuilder(stackId, { address }, () => undefined);
await builder.build(JSON.parse(input), {
  signal: AbortSignal.timeout(600_000),
  onLine: (line) => process.stdout.write(`${line}\n`),
});
