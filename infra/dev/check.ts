import { runChecks } from './checks.ts';

/** `npm run check`: types, format, lint and the direction of imports, without the tests. */
const outcomes = await runChecks(console.log);
const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
