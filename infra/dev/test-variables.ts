/** Variables by which `npm test` hands to every test file what all of them share. */

/** JSON: paths of tools by their names, found once. */
export const TEST_TOOLS = 'FAIRLEAD_TEST_TOOLS';

/** Address of a MongoDB on which each file makes databases of its own; people may name one of theirs, such as a mongod. */
export const TEST_MONGODB_URI = 'FAIRLEAD_TEST_MONGODB_URI';

/** Data folder of the stack that end-to-end tests share. */
export const TEST_STACK = 'FAIRLEAD_TEST_STACK';

/** Address at which a test may start the git host of that stack. */
export const TEST_GIT_URL = 'FAIRLEAD_TEST_GIT_URL';

/** Which points of exhaustive matrices are played, as a number (infra/dev/test-sample.ts); all where it is missing. */
export const TEST_SAMPLE = 'FAIRLEAD_TEST_SAMPLE';

/** Set in a smoke run: what is made of many like parts does a few of them. */
export const TEST_SMOKE = 'FAIRLEAD_TEST_SMOKE';
