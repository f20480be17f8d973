/** A worker that bounds a build until it is killed; it prints the group. Its arguments: the stack and the build. */
import { tmpdir } from 'node:os';
import { createBuildBounds } from '../../../adapters/docker/build-bounds/build-bounds.ts';
import { findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { env, TEST_LIMITS } from './engine-fixture.ts';

const [stackId = '', buildId = ''] = process.argv.slice(2);
const onWarning = (message: string): void => console.error(message);
const options = { cgroups: await findCgroups(), stackId, limits: TEST_LIMITS, env, onWarning };
const engineInfo = async () => ({ rootDirectory: tmpdir(), cgroupDriver: 'cgroupfs' });
const { group } = await createBuildBounds({ ...options, engineInfo })({ buildId, org: 'acme' });
console.log(group);
setInterval(() => undefined, 1_000);
